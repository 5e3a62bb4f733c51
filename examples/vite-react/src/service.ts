import { createServiceClient } from 'countersign';

/** The typed client, at the app's own address. It has no credentials, because the relay adds them. */
export const service = createServiceClient({ baseUrl: new URL('/api', location.href).href });

/** Returns the data of a call, or throws its error for React's error boundary. */
export function must<T>({ data, error }: { readonly data?: T; readonly error?: { readonly message: string } }): T {
  if (error) throw new Error(error.message);
  return data as T;
}
