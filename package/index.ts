/** The types of the contract, and the client that uses them. An app or a backend imports both from here. */
export * from '../generated/client.ts';
export type { ErrorCode } from '../generated/operations.ts';
export type * from '../generated/types.ts';
