/** The state machines of the contract: drawn in the reference, and written as tables into the guides. */

/** A transition. The start has `from` null. */
export interface Transition {
  readonly from: string | null;
  readonly to: string;
  /** The event that causes it, in a few words. */
  readonly when: string;
}

export interface Machine {
  /** The machine's name in the guides' markers, and of its picture. */
  readonly name: string;
  /** What the picture shows, for readers who can't see it. */
  readonly title: string;
  /** The contract's enum with exactly these states, if there is one. */
  readonly schema?: string;
  readonly states: readonly string[];
  /** States in the contract that the sandbox never produces. */
  readonly unused?: readonly string[];
  readonly transitions: readonly Transition[];
}

export const machines: readonly Machine[] = [
  {
    name: 'credential',
    title: 'The life of a credential',
    states: ['WAITS FOR SIGNATURE', 'REGISTERED', 'REVOCATION WAITS', 'REVOKED'],
    transitions: [
      { from: null, to: 'REGISTERED', when: "register a wallet's first (201)" },
      { from: null, to: 'WAITS FOR SIGNATURE', when: 'register another one (202)' },
      { from: 'WAITS FOR SIGNATURE', to: 'REGISTERED', when: 'signed retry within 5 minutes (201)' },
      { from: 'REGISTERED', to: 'REVOCATION WAITS', when: 'revoke (202)' },
      { from: 'REVOCATION WAITS', to: 'REVOKED', when: 'signed retry by a session of another credential (204)' },
      { from: 'REVOCATION WAITS', to: 'REGISTERED', when: '5 minutes over' },
    ],
  },
  {
    name: 'session',
    title: 'The life of a session',
    states: ['ACTIVE', 'EXPIRED', 'REVOKED'],
    transitions: [
      { from: null, to: 'ACTIVE', when: 'verify, or signed refresh of an active session' },
      { from: 'ACTIVE', to: 'EXPIRED', when: '15 minutes over' },
      { from: 'ACTIVE', to: 'REVOKED', when: 'signed revocation, or its credential is revoked' },
    ],
  },
  {
    name: 'quote',
    title: 'The statuses of a quote',
    schema: 'QuoteStatus',
    states: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED'],
    transitions: [
      { from: null, to: 'PENDING', when: 'create' },
      { from: 'PENDING', to: 'PROCESSING', when: 'execute: money is on its way' },
      { from: 'PENDING', to: 'COMPLETED', when: 'execute: it arrived' },
      { from: 'PENDING', to: 'FAILED', when: 'execute: it failed' },
      { from: 'PENDING', to: 'EXPIRED', when: '5 minutes over' },
      { from: 'PROCESSING', to: 'COMPLETED', when: 'it arrived' },
      { from: 'PROCESSING', to: 'FAILED', when: "the money can't be collected" },
      { from: 'COMPLETED', to: 'FAILED', when: 'the bank returned it' },
    ],
  },
  {
    name: 'transaction',
    title: 'The statuses of a transaction',
    schema: 'TransactionStatus',
    states: ['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'REFUNDED', 'EXPIRED'],
    unused: ['CREATED', 'REJECTED', 'REFUNDED'],
    transitions: [
      { from: null, to: 'PENDING', when: 'its quote is created, or the bank has not answered' },
      { from: null, to: 'COMPLETED', when: 'transfer: done at once; or money came in' },
      { from: null, to: 'FAILED', when: 'transfer: refused at once' },
      { from: 'PENDING', to: 'PROCESSING', when: 'quote executed' },
      { from: 'PENDING', to: 'COMPLETED', when: 'quote executed' },
      { from: 'PENDING', to: 'FAILED', when: 'quote executed, or transfer timed out' },
      { from: 'PENDING', to: 'EXPIRED', when: 'quote expired' },
      { from: 'PROCESSING', to: 'COMPLETED', when: 'it arrived' },
      { from: 'PROCESSING', to: 'FAILED', when: "the money can't be collected" },
      { from: 'COMPLETED', to: 'FAILED', when: 'the bank returned it' },
    ],
  },
  {
    name: 'agent-action',
    title: "The statuses of an agent's action",
    schema: 'AgentActionStatus',
    states: ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'],
    transitions: [
      { from: null, to: 'PENDING_APPROVAL', when: 'submit: needs approval' },
      { from: null, to: 'APPROVED', when: 'submit: the policy allows it' },
      { from: null, to: 'FAILED', when: 'submit: it failed' },
      { from: 'PENDING_APPROVAL', to: 'APPROVED', when: 'approve' },
      { from: 'PENDING_APPROVAL', to: 'REJECTED', when: 'reject' },
      { from: 'PENDING_APPROVAL', to: 'FAILED', when: 'approve, but no longer possible; quote expired; agent deleted' },
      { from: 'APPROVED', to: 'FAILED', when: 'its transaction failed' },
    ],
  },
  {
    name: 'device-code',
    title: 'The life of a device code',
    states: ['OPEN', 'REDEEMED', 'EXPIRED', 'REPLACED'],
    transitions: [
      { from: null, to: 'OPEN', when: 'create an agent, or a new code' },
      { from: 'OPEN', to: 'REDEEMED', when: 'redeem: access token' },
      { from: 'OPEN', to: 'EXPIRED', when: '24 hours over' },
      { from: 'OPEN', to: 'REPLACED', when: 'a newer code' },
    ],
  },
];

/** A message of a sequence picture: an arrow from one participant to another, or a step within one participant. */
export interface Message {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

export interface Sequence {
  readonly name: string;
  readonly title: string;
  readonly participants: readonly string[];
  readonly messages: readonly Message[];
}

export const sequences: readonly Sequence[] = [
  {
    name: 'signed-retry',
    title: 'A signed retry: app, backend and service',
    participants: ['App', 'Backend', 'Service'],
    messages: [
      { from: 0, to: 1, lines: ['add a passkey'] },
      { from: 1, to: 2, lines: ['POST /auth/credentials'] },
      { from: 2, to: 1, lines: ['202 payloadToSign,', 'requestId, expiresAt'] },
      { from: 1, to: 0, lines: ['payloadToSign,', 'requestId'] },
      { from: 0, to: 0, lines: ['sign the exact text,', 'build the stamp'] },
      { from: 0, to: 1, lines: ['stamp, requestId'] },
      { from: 1, to: 2, lines: ['the same POST with', 'Service-Wallet-Signature', 'and Request-Id'] },
      { from: 2, to: 1, lines: ['201 the credential'] },
      { from: 1, to: 0, lines: ['done'] },
    ],
  },
];
