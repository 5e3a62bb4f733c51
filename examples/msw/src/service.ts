import { createServiceClient } from 'countersign';

/** Where the app's relay is: on the page's own origin. It has the token; the page has none. */
export const baseUrl = new URL('/api', location.href).href;

export const service = createServiceClient({ baseUrl });
