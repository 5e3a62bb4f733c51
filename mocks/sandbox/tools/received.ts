/**
 * A type of the contract as the sandbox receives it: an optional field is absent or has a value. The types for sending
 * also allow undefined (scripts/generate/types.ts), which a client leaves out.
 */
export type Received<T> = T extends string | number | boolean | null
  ? T
  : { [Key in keyof T]: Received<Exclude<T[Key], undefined>> };
