/** Opens a wallet with a software passkey, for the tests of attestations and assertions. */
import { expect } from 'vitest';
import type { Answer } from '../sandbox/harness.ts';
import { openWallet, walletState } from '../scenes/builders.ts';
import type { Deviation, PasskeyFacts } from './authenticator.ts';
import { challengeCredential, openProver, registerBy, verify } from './prover.ts';

/** The error for an invalid assertion or attestation. */
export const invalidPasskey = {
  status: 401,
  body: { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid passkey signature' },
};

/** Texts that aren't base64url of at least one byte (D47). */
export const notBase64Url = 'A AAAAA AA= AAA== AAAA= AAAA==== AA==AA== ab+/'
  .split(' ')
  .concat('', 'AA AA', 'AAAA\n', 'QUJDé');

/** The error for a field of the body in the wrong form. */
export const invalidField = (pointer: string) => ({
  status: 400,
  body: { code: 'INVALID_INPUT', details: { errors: [{ in: 'body', pointer }] } },
});

/**
 * A wallet with real proofs whose first credential is the passkey `laptop`, with functions that get and answer its
 * challenges.
 * @param settings changed before the passkey is registered.
 */
export async function openPasskey(facts: PasskeyFacts = {}, settings: object = {}) {
  const prover = await openProver('real', facts);
  const { sandbox } = prover;
  const set = async (changed: object) => {
    expect((await sandbox.control('PUT', '/settings', { body: changed })).status).toBe(200);
  };
  if (Object.keys(settings).length > 0) await set(settings);
  const { accountId } = await openWallet(sandbox);
  const credential = await registerBy(prover, 'PASSKEY', accountId, { name: 'laptop' });
  const passkey = prover.passkey(credential.credentialId ?? '');
  const ask = async () => (await challengeCredential(sandbox, credential.id)).body;
  const send = (assertion: object, requestId: string): Promise<Answer> =>
    verify(sandbox, credential.id, { body: { type: 'PASSKEY', assertion }, headers: { 'Request-Id': requestId } });
  const answer = async (deviation: Deviation = {}) => {
    const { challenge, requestId } = await ask();
    return send(passkey.assert(challenge, deviation), requestId);
  };
  const sessions = async () => (await walletState(sandbox, accountId)).sessions.length;
  return { prover, sandbox, accountId, credential, passkey, ask, send, answer, sessions, set };
}
