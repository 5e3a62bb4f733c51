/**
 * A type of the contract as it came in: an optional field is absent or has a value. The types of what is sent allow
 * undefined too (scripts/generate/types.ts), which a client leaves out.
 */
export type Received<T> = T extends string | number | boolean | null
  ? T
  : { [Key in keyof T]: Received<Exclude<T[Key], undefined>> };
