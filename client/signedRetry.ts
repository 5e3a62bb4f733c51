import type { SignedRequestChallenge } from '../generated/types.ts';
import { type SessionKey, stamp } from './keys.ts';

/** Signs the payload of a challenge: returns the value of `Service-Wallet-Signature`. */
export type Signer = (payloadToSign: string) => Promise<string>;

/** The headers of the second step; empty at the first. Give them to the call as they are. */
export interface RetryHeaders {
  readonly 'Service-Wallet-Signature'?: string;
  readonly 'Request-Id'?: string;
}

/** What a call of the generated client resolves to. */
interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** An outcome of the second step: a challenge is not among them. */
export type Signed<O extends Outcome> = O extends { data?: infer D }
  ? Omit<O, 'data'> & { readonly data?: Exclude<D, SignedRequestChallenge> }
  : O;

/** Signs with a session's key, opened by `openSessionKey`. */
export function sessionSigner(key: SessionKey): Signer {
  return (payloadToSign) => stamp(payloadToSign, key);
}

/** Signs for the sandbox in `magic` proofs, where one value stands for every session that may sign. */
export const sandboxSigner: Signer = async () => 'sandbox-valid-signature';

/**
 * Runs the signed-retry pattern (INTERFACE): makes the call; when it answers 202, signs the challenge and makes the same
 * call again with both headers. Any other outcome is handed through, of the first call as of the second.
 * @param call makes the request with the headers it is given, and with the same body each time.
 * @example
 * signedRetry((header) => client.DELETE('/auth/sessions/{id}', { params: { path: { id }, header } }), sessionSigner(key))
 */
export async function signedRetry<O extends Outcome>(
  call: (headers: RetryHeaders) => Promise<O>,
  signer: Signer,
): Promise<Signed<O>> {
  const first = await call({});
  if (first.response.status !== 202) return first as unknown as Signed<O>;
  const challenge = first.data as SignedRequestChallenge;
  const second = await call({
    'Service-Wallet-Signature': await signer(challenge.payloadToSign),
    'Request-Id': challenge.requestId,
  });
  return second as unknown as Signed<O>;
}
