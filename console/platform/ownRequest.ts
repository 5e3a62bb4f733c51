/** What the `X-Request-Id` of the console's own reads begins with, so that Traffic can leave them out. */
export const ownPrefix = 'console-';
