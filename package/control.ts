/** What steers a sandbox from a program: the client of its control surface, and the types of that. */
export * from '../generated/controlClient.ts';
export type * from '../generated/controlTypes.ts';
