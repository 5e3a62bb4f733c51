/** One request, as it ended. No body, no header, no query and no address as it was sent: those can hold secrets. */
export interface RequestLine {
  /** What the reply says in `X-Request-Id`. */
  readonly id: string;
  /** The trace that the caller has put it into (W3C Trace Context). */
  readonly trace?: string;
  readonly method: string;
  /** An operation of the contract, a route of the control surface, or null for anything else. */
  readonly operation: string | null;
  readonly platform: string | null;
  /** 0 where the connection was dropped by a fault rule. */
  readonly status: number;
  readonly ms: number;
  /** The error code of a refusal. */
  readonly code: string | null;
}

/** Where the sandbox reports to. Lines carry no secrets: no bodies, no header values, no query strings. */
export interface Log {
  info(line: string): void;
  /** For our own faults: `facts` hold what the client is not told. */
  error(line: string, facts: Readonly<Record<string, unknown>>): void;
  /** Told of every request once it is answered. */
  request?(line: RequestLine): void;
}
