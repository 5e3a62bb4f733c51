/** Where the sandbox reports to. Lines carry no secrets: no bodies, no header values, no query strings. */
export interface Log {
  info(line: string): void;
  /** For our own faults: `facts` hold what the client is not told. */
  error(line: string, facts: Readonly<Record<string, unknown>>): void;
}
