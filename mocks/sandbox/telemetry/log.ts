/** A finished request. It has no body, header, query or unmasked address, because those can contain secrets. */
export interface RequestLine {
  /** The `X-Request-Id` of the reply. */
  readonly id: string;
  /** The caller's trace (W3C Trace Context). */
  readonly trace?: string;
  readonly method: string;
  /** An operation of the contract, a route of the control surface, or null for anything else. */
  readonly operation: string | null;
  readonly platform: string | null;
  /** 0 if a fault rule dropped the connection. */
  readonly status: number;
  readonly ms: number;
  /** The error code of a refusal. */
  readonly code: string | null;
  /** Why the credentials of an app's request open no platform, such as `WRONG_SECRET`. */
  readonly refused?: string;
}

/** The sandbox's log. Lines contain no secrets: no bodies, no header values, no query strings. */
export interface Log {
  info(line: string): void;
  /** For our own faults. `facts` contain what the client doesn't see. */
  error(line: string, facts: Readonly<Record<string, unknown>>): void;
  /** Called for every request once it is answered. */
  request?(line: RequestLine): void;
}
