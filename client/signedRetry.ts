import type { SignedRequestChallenge } from '../generated/types.ts';
import { type SessionKey, stamp } from './keys.ts';

/** Signs the payload of a challenge. Returns the value of `Service-Wallet-Signature`. */
export type Signer = (payloadToSign: string) => Promise<string>;

/** The headers of the second step; empty in the first. Pass them to the call unchanged. */
export interface RetryHeaders {
  readonly 'Service-Wallet-Signature'?: string;
  readonly 'Request-Id'?: string;
}

/** The result of a call of the generated client, or of a call of your own backend with the same shape. */
interface CallResult {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The outcomes that remain after the challenge was answered. A success has its data, a failure its error. */
export type Signed<O extends CallResult> = O extends unknown
  ? { [K in keyof O]: K extends 'data' ? WithoutChallenge<O[K]> : O[K] }
  : never;

// An operation that returns only a challenge has no data when it is done (204).
type WithoutChallenge<D> = [D] extends [undefined]
  ? D
  : [Exclude<D, SignedRequestChallenge>] extends [never]
    ? undefined
    : Exclude<D, SignedRequestChallenge>;

/**
 * Why a signed retry failed: `no-challenge` if the body of a 202 isn't a challenge, `challenged-again` if the retry got
 * another challenge.
 */
export type SignedRetryFault = 'no-challenge' | 'challenged-again';

/** The call doesn't do what {@link signedRetry} needs, and it changed nothing. `fault` says what is wrong. */
export class SignedRetryError extends Error {
  readonly fault: SignedRetryFault;

  constructor(fault: SignedRetryFault, message: string) {
    super(message);
    this.name = 'SignedRetryError';
    this.fault = fault;
  }
}

/** Signs with the session key that `openSessionKey` opened (D17). */
export function sessionSigner(key: SessionKey): Signer {
  return (payloadToSign) => stamp(payloadToSign, key);
}

/**
 * Signs for the sandbox with `magic` proofs, where one value stands for every session that may sign (D15). With `real`
 * proofs it is a wrong signature like any other.
 */
export const sandboxSigner: Signer = async () => 'sandbox-valid-signature';

/**
 * Runs the signed-retry pattern (D15). It makes the call. If the reply is 202, it signs the challenge and makes the
 * same call again with both headers. It passes every other outcome on, of the first and the second call. So one code
 * path works even if a call needs a signature only sometimes.
 * @param call makes the request with the headers that it gets, and with the same body each time. Build the body
 * outside.
 * @returns the last outcome; its `data` is never the challenge.
 * @throws SignedRetryError if the call loses the headers on their way, and anything that `call` or `signer` throws.
 * @example
 * signedRetry((header) => client.DELETE('/auth/sessions/{id}', { params: { path: { id }, header } }),
 * sessionSigner(key))
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
    const message =
      'The retry got another challenge, because its two headers are missing. Send the headers that your function receives.';
    throw new SignedRetryError('challenged-again', message);
  }
  return signedOutcome(second);
}

function readChallenge(data: unknown): Pick<SignedRequestChallenge, 'payloadToSign' | 'requestId'> {
  const { payloadToSign, requestId } = (data ?? {}) as Partial<Record<string, unknown>>;
  if (typeof payloadToSign === 'string' && typeof requestId === 'string') return { payloadToSign, requestId };
  throw new SignedRetryError('no-challenge', "The answer is 202, but its body isn't a challenge.");
}

// The caller has checked that the status isn't 202, which the type can't show: the data belongs to another status.
function signedOutcome<O extends CallResult>(outcome: O): Signed<O> {
  return outcome as unknown as Signed<O>;
}
