/** The start of `X-Request-Id` in the console's own reads, so that Traffic can leave them out. */
export const ownPrefix = 'console-';
