/**
 * Promise: changes that the table of lifecycle.test.ts doesn't list can't happen. In any other state a trigger is
 * refused and changes nothing, with both kinds of proofs (D12, D13, D15, D21, D22).
 */
import { describe, expect, test } from 'vitest';
import { cases, type Full, openFull } from '../../support/proofs/lifecycle.ts';
import { challengeCredential, type Proof, proverKeys, signBy, verify } from '../../support/proofs/prover.ts';
import { sample } from '../../support/run/length.ts';
import type { Answer } from '../../support/sandbox/harness.ts';

describe.each(cases)('$kind, $type: what the table does not give', (facts) => {
  const { type } = facts;
  interface Refusal {
    readonly status: number;
    readonly code: string;
    readonly reason?: string;
  }
  interface Row {
    readonly state: string;
    readonly reach?: (wallet: Full, proof: Proof) => Promise<unknown>;
    readonly trigger: string;
    /** `proof` was made for the credential before the state was reached. */
    readonly send: (wallet: Full, proof: Proof) => Promise<Answer>;
    readonly refusal: Refusal;
  }

  const revokeCredential = async ({ endCredential }: Full) => {
    expect((await endCredential()).answer.status).toBe(204);
  };
  const revokeSession = async ({ endSession }: Full) => {
    expect((await endSession()).status).toBe(204);
  };
  const expire = ({ sandbox }: Full) => sandbox.advance(900);

  const challenge = ({ sandbox, credential }: Full) => challengeCredential(sandbox, credential.id);
  const prove = ({ sandbox, credential }: Full, proof: Proof) => verify(sandbox, credential.id, proof);
  const revoke = ({ sandbox, credential }: Full) => sandbox.send('DELETE', `/auth/credentials/${credential.id}`);
  const refresh = ({ sandbox, signedIn }: Full) => {
    const body = { clientPublicKey: proverKeys.publicKeyHex };
    return sandbox.send('POST', `/auth/sessions/${signedIn.session.id}/refresh`, { body });
  };
  const endSession = ({ sandbox, signedIn }: Full) => sandbox.send('DELETE', `/auth/sessions/${signedIn.session.id}`);

  const noCredential = { status: 404, code: 'CREDENTIAL_NOT_FOUND' };
  const noSession = { status: 404, code: 'SESSION_NOT_FOUND' };
  const wrongSignature = { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' };
  const requestIdInvalid = { status: 401, code: 'REQUEST_ID_INVALID' };
  const byItself = (method: string, path: (wallet: Full) => string) => (wallet: Full) =>
    signBy(wallet.prover, wallet.signedIn, method, path(wallet));

  const unknown = '0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13';
  const onNone =
    (send: Row['send']): Row['send'] =>
    (wallet, proof) => {
      const credential = { ...wallet.credential, id: `AuthMethod:${unknown}` };
      const session = { ...wallet.signedIn.session, id: `Session:${unknown}` };
      return send({ ...wallet, credential, signedIn: { ...wallet.signedIn, session } }, proof);
    };

  const rows: readonly Row[] = [
    { state: 'no credential', trigger: 'challenge', send: onNone(challenge), refusal: noCredential },
    { state: 'no credential', trigger: 'verify', send: onNone(prove), refusal: noCredential },
    { state: 'no credential', trigger: 'revoke', send: onNone(revoke), refusal: noCredential },
    { state: 'no session', trigger: 'refresh', send: onNone(refresh), refusal: noSession },
    { state: 'no session', trigger: 'end', send: onNone(endSession), refusal: noSession },
    {
      state: 'credential revoked',
      reach: revokeCredential,
      trigger: 'challenge',
      send: challenge,
      refusal: noCredential,
    },
    { state: 'credential revoked', reach: revokeCredential, trigger: 'verify', send: prove, refusal: noCredential },
    { state: 'credential revoked', reach: revokeCredential, trigger: 'revoke', send: revoke, refusal: noCredential },
    { state: 'its credential revoked', reach: revokeCredential, trigger: 'refresh', send: refresh, refusal: noSession },
    { state: 'its credential revoked', reach: revokeCredential, trigger: 'end', send: endSession, refusal: noSession },
    { state: 'session revoked', reach: revokeSession, trigger: 'refresh', send: refresh, refusal: noSession },
    { state: 'session revoked', reach: revokeSession, trigger: 'end', send: endSession, refusal: noSession },
    { state: 'session expired', reach: expire, trigger: 'refresh', send: refresh, refusal: noSession },
    { state: 'session expired', reach: expire, trigger: 'end', send: endSession, refusal: noSession },
    {
      state: 'registered',
      trigger: 'revoke, signed by a session of its own',
      send: byItself('DELETE', ({ credential }) => `/auth/credentials/${credential.id}`),
      refusal: wrongSignature,
    },
    {
      state: 'no session active',
      reach: revokeSession,
      trigger: 'revoke another one, signed by the session that ended',
      send: byItself('DELETE', ({ other }) => `/auth/credentials/${other.id}`),
      refusal: wrongSignature,
    },
    {
      state: 'no session active',
      reach: revokeSession,
      trigger: 'register a further one, signed by the session that ended',
      send: async ({ prover, accountId, signedIn }) => {
        const body = await prover.registration('PASSKEY', accountId, 'one more');
        return signBy(prover, signedIn, 'POST', '/auth/credentials', body);
      },
      refusal: wrongSignature,
    },
    {
      state: 'registered',
      trigger: 'register the same again',
      send: async ({ prover, accountId, send }) => send(await prover.registration(type, accountId)),
      refusal: {
        EMAIL_OTP: { status: 400, code: 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS' },
        OAUTH: { status: 409, code: 'CREDENTIAL_ALREADY_EXISTS' },
        PASSKEY: { status: 400, code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS' },
      }[type],
    },
    ...rowsOfType(),
  ];

  function rowsOfType(): Row[] {
    const used = async (wallet: Full, proof: Proof) => {
      expect((await prove(wallet, proof)).status).toBe(200);
    };
    const late = ({ sandbox }: Full) => sandbox.advance(300);
    switch (type) {
      case 'EMAIL_OTP': {
        const refusal = { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid OTP code' };
        return [
          { state: 'code used', reach: used, trigger: 'verify', send: prove, refusal },
          { state: 'code expired', reach: late, trigger: 'verify', send: prove, refusal },
        ];
      }
      case 'PASSKEY':
        return [
          { state: 'challenge used', reach: used, trigger: 'verify', send: prove, refusal: requestIdInvalid },
          { state: 'challenge expired', reach: late, trigger: 'verify', send: prove, refusal: requestIdInvalid },
          {
            state: 'not challenged',
            trigger: 'verify',
            send: (wallet, { body }) => prove(wallet, { body, headers: {} }),
            refusal: { status: 401, code: 'REQUEST_ID_MISSING' },
          },
        ];
      case 'OAUTH': {
        const refusal = { status: 400, code: 'INVALID_INPUT' };
        return [{ state: 'registered', trigger: 'challenge', send: challenge, refusal }];
      }
    }
  }

  test.each(sample(rows, 6))('$state: $trigger is refused', async ({ reach, send, refusal }) => {
    const wallet = await openFull(facts);
    const proof = await wallet.prover.prove(wallet.credential);
    await reach?.(wallet, proof);
    const before = await wallet.state();
    const { status, body } = await send(wallet, proof);
    expect({ status, body }).toMatchObject({ status: refusal.status, body: refusal });
    expect(await wallet.state()).toEqual(before);
  });
});
