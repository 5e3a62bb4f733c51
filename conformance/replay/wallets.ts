/** Collects what replies say about wallets: the owner of a credential, the payload to sign, the open challenge. */

export interface Credential {
  readonly id: string;
  readonly type: string;
  readonly accountId: string;
  readonly nickname: string;
  readonly credentialId: string | undefined;
}

export interface Wallets {
  /** Reads a reply's body. */
  note(body: unknown): void;
  credential(id: string): Credential | undefined;
  credentials(): readonly Credential[];
  /** The account of a credential or a session. */
  accountOf(id: string): string | undefined;
  /** The payload to sign for a request or a quote, by its id. */
  payload(id: string): string | undefined;
  /** The challenge that belongs to a request id. */
  challenge(requestId: string): string | undefined;
}

export function createWallets(): Wallets {
  const credentials = new Map<string, Credential>();
  const accounts = new Map<string, string>();
  const payloads = new Map<string, string>();
  const challenges = new Map<string, string>();

  const noteObject = (value: Readonly<Record<string, unknown>>): void => {
    const { id, accountId, type, nickname, credentialId, requestId, payloadToSign, challenge } = value;
    if (typeof id === 'string' && typeof accountId === 'string' && typeof type === 'string') {
      accounts.set(id, accountId);
      if (id.startsWith('AuthMethod:')) {
        const key = typeof credentialId === 'string' ? credentialId : undefined;
        credentials.set(id, { id, type, accountId, nickname: String(nickname ?? ''), credentialId: key });
      }
    }
    if (typeof requestId === 'string' && typeof payloadToSign === 'string') payloads.set(requestId, payloadToSign);
    if (typeof requestId === 'string' && typeof challenge === 'string') challenges.set(requestId, challenge);
    if (typeof id === 'string' && Array.isArray(value['paymentInstructions'])) {
      for (const instruction of value['paymentInstructions']) {
        const found = findPayload(instruction);
        if (found !== undefined) payloads.set(id, found);
      }
    }
  };
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) noteObject(value as Readonly<Record<string, unknown>>);
    for (const item of Object.values(value)) walk(item);
  };
  return {
    note: walk,
    credential: (id) => credentials.get(id),
    credentials: () => [...credentials.values()],
    accountOf: (id) => accounts.get(id),
    payload: (id) => payloads.get(id),
    challenge: (requestId) => challenges.get(requestId),
  };
}

function findPayload(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { payloadToSign } = value as { payloadToSign?: unknown };
  if (typeof payloadToSign === 'string') return payloadToSign;
  return Object.values(value)
    .map(findPayload)
    .find((found) => found !== undefined);
}
