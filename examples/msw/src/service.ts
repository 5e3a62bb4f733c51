import { createServiceClient } from 'countersign';

/** The address of the app's relay, on the page's own origin. The relay has the token; the page has none. */
export const baseUrl = new URL('/api', location.href).href;

export const service = createServiceClient({ baseUrl });
