/** The types that a test and its sandbox's page exchange (bridge.ts, pageEntry.ts, inPage.ts). */

/** The settings of a sandbox in the page: those of a test's parts that JSON can express. */
export interface PageParts {
  readonly store: number;
  /** The time of the machine's clock. */
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
  /** What the sandbox has logged during the call. */
  readonly log: readonly { readonly line: string; readonly facts?: Readonly<Record<string, unknown>> }[];
  /** If the call failed, the error's message; the other fields are absent then. */
  readonly failed?: string;
}

/** The functions of the page, called by name. */
export interface PageCalls {
  openStore(keepAs: string | null): Promise<number>;
  closeStore(store: number): Promise<void>;
  execute(store: number, sql: string, parameters: readonly unknown[]): Promise<unknown>;
  open(parts: PageParts): Promise<number>;
  answer(app: number, request: PageRequest): Promise<PageReply>;
}
