/** What crosses between a test and the page that its sandbox runs in (bridge.ts, pageEntry.ts, inPage.ts). */

/** What a sandbox in the page is opened with: what of a test's parts can be said in JSON. */
export interface PageParts {
  readonly store: number;
  /** Where the machine's clock stands. */
  readonly now: number;
  readonly draws?: readonly (readonly number[])[];
  readonly proofs?: 'magic' | 'real';
  readonly world?: unknown;
  readonly frozenAt?: number;
  readonly controlToken?: string;
}

export interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** In base64. */
  readonly body: string | null;
}

export interface PageReply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** In base64. */
  readonly body: string;
  /** What the sandbox has logged meanwhile. */
  readonly log: readonly { readonly line: string; readonly facts?: Readonly<Record<string, unknown>> }[];
  /** Set in place of all others when the call failed: the error's message. */
  readonly failed?: string;
}

/** What the page offers; each is asked for by its name. */
export interface PageCalls {
  openStore(keepAs: string | null): Promise<number>;
  closeStore(store: number): Promise<void>;
  execute(store: number, sql: string, parameters: readonly unknown[]): Promise<unknown>;
  open(parts: PageParts): Promise<number>;
  answer(app: number, request: PageRequest): Promise<PageReply>;
}
