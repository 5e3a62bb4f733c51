import { createServiceClient } from 'countersign';

/** The typed client, on the app's own address. It has no credentials: the relay adds them. */
export const service = createServiceClient({ baseUrl: new URL('/api', location.href).href });

/** The data of a call, or its error thrown for React's error boundary. */
export function must<T>({ data, error }: { readonly data?: T; readonly error?: { readonly message: string } }): T {
  if (error) throw new Error(error.message);
  return data as T;
}
