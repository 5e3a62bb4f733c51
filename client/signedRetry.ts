import type { SignedRequestChallenge } from '../generated/types.ts';
import { type SessionKey, stamp } from './keys.ts';

/** Signs the payload of a challenge: returns the value of `Service-Wallet-Signature`. */
export type Signer = (payloadToSign: string) => Promise<string>;

/** The headers of the second step; empty at the first. Give them to the call as they are. */
export interface RetryHeaders {
  readonly 'Service-Wallet-Signature'?: string;
  readonly 'Request-Id'?: string;
}

/** What a call of the generated client resolves to, or a call of one's own backend that is shaped like it. */
interface CallResult {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The outcomes that are left when the challenge has been answered; each success has its data, each failure its error. */
export type Signed<O extends CallResult> = O extends unknown
  ? { [K in keyof O]: K extends 'data' ? WithoutChallenge<O[K]> : O[K] }
  : never;

// An operation that answers with only a challenge has no data once it is done (204).
type WithoutChallenge<D> = [D] extends [undefined]
  ? D
  : [Exclude<D, SignedRequestChallenge>] extends [never]
    ? undefined
    : Exclude<D, SignedRequestChallenge>;

/**
 * Why a signed retry could not be carried through: `no-challenge` for a 202 whose body is not one, `challenged-again`
 * for a retry that was answered with another challenge.
 */
export type SignedRetryFault = 'no-challenge' | 'challenged-again';

/** The call does not do what {@link signedRetry} needs of it; nothing was changed by it. `fault` says what is wrong. */
export class SignedRetryError extends Error {
  readonly fault: SignedRetryFault;

  constructor(fault: SignedRetryFault, message: string) {
    super(message);
    this.name = 'SignedRetryError';
    this.fault = fault;
  }
}

/** Signs with a session's key, opened by `openSessionKey` (D17). */
export function sessionSigner(key: SessionKey): Signer {
  return (payloadToSign) => stamp(payloadToSign, key);
}

/**
 * Signs for the sandbox in `magic` proofs, where one value stands for every session that may sign (D15). In `real`
 * proofs it is a wrong signature like any other.
 */
export const sandboxSigner: Signer = async () => 'sandbox-valid-signature';

/**
 * Runs the signed-retry pattern (D15): makes the call; when it answers 202, signs the challenge and makes the same call
 * again with both headers. Any other outcome is handed through, of the first call as of the second, so one code path
 * serves a call that only sometimes needs a signature.
 * @param call makes the request with the headers it is given, and with the same body each time. Build the body outside.
 * @returns the last outcome; its `data` is never the challenge.
 * @throws SignedRetryError when the call loses the headers on their way; whatever `call` or `signer` throws.
 * @example
 * signedRetry((header) => client.DELETE('/auth/sessions/{id}', { params: { path: { id }, header } }), sessionSigner(key))
 */
export async function signedRetry<O extends CallResult>(
  call: (headers: RetryHeaders) => Promise<O>,
  signer: Signer,
): Promise<Signed<O>> {
  const first = await call({});
  if (first.response.status !== 202) return signedOutcome(first);
  const challenge = readChallenge(first.data);
  const second = await call({
    'Service-Wallet-Signature': await signer(challenge.payloadToSign),
    'Request-Id': challenge.requestId,
  });
  if (second.response.status === 202) {
    const message = 'The retry got another challenge: its two headers were lost. Pass on those that the call is given.';
    throw new SignedRetryError('challenged-again', message);
  }
  return signedOutcome(second);
}

function readChallenge(data: unknown): Pick<SignedRequestChallenge, 'payloadToSign' | 'requestId'> {
  const { payloadToSign, requestId } = (data ?? {}) as Partial<Record<string, unknown>>;
  if (typeof payloadToSign === 'string' && typeof requestId === 'string') return { payloadToSign, requestId };
  throw new SignedRetryError('no-challenge', "The answer is 202, but its body isn't a challenge.");
}

// That its status is not 202 is what the type cannot see: the data is that of another status.
function signedOutcome<O extends CallResult>(outcome: O): Signed<O> {
  return outcome as unknown as Signed<O>;
}
