/** What an app or a backend imports by name: the contract's types, and the client that is typed by them. */
export * from '../generated/client.ts';
export type { ErrorCode } from '../generated/operations.ts';
export type * from '../generated/types.ts';
