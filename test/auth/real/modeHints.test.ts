/**
 * Promise: a proof for the other mode is refused as usual, and `details.hint` names the mode. A hint doesn't help to
 * guess: it depends on the form of the sent value and on the published magic values, never on a secret (D57).
 */
import { describe, expect, test } from 'vitest';
import {
  challengeCredential,
  encodeStamp,
  type Kind,
  newestCode,
  openProver,
  openSignedIn,
  type Prover,
  registerBy,
  stampOf,
  stampParts,
  verify,
} from '../../support/proofs/prover.ts';
import type { Answer } from '../../support/sandbox/harness.ts';
import {
  clientKeys,
  magic,
  oauthRequest,
  oidcToken,
  openWallet,
  registerEmailOtp,
  signed,
} from '../../support/scenes/builders.ts';

const { publicKeyHex: clientPublicKey, privateKey } = clientKeys();
const hints: Record<Kind, RegExp> = {
  magic: /^this platform is in magic proofs, where only the documented magic values count/,
  real: /^this platform is in real proofs, where no magic value counts/,
};

const sendCode = async ({ sandbox }: Prover, otp: string): Promise<Answer> => {
  const { id } = await registerEmailOtp(sandbox, (await openWallet(sandbox)).accountId);
  return verify(sandbox, id, { body: { type: 'EMAIL_OTP', otp, clientPublicKey }, headers: {} });
};
const sendAssertion = async (prover: Prover, signature: string): Promise<Answer> => {
  const { accountId } = await openWallet(prover.sandbox);
  const credential = await registerBy(prover, 'PASSKEY', accountId);
  const { body } = await challengeCredential(prover.sandbox, credential.id);
  const bytes = Buffer.from('{}').toString('base64url');
  const assertion = {
    credentialId: credential.credentialId,
    clientDataJson: bytes,
    authenticatorData: bytes,
    signature,
  };
  const headers = { 'Request-Id': body.requestId };
  return verify(prover.sandbox, credential.id, { body: { type: 'PASSKEY', assertion }, headers });
};
const sendToken = async (prover: Prover, token: string): Promise<Answer> => {
  const { accountId } = await openWallet(prover.sandbox);
  const { id } = await registerBy(prover, 'OAUTH', accountId);
  return verify(prover.sandbox, id, { body: { type: 'OAUTH', oidcToken: token, clientPublicKey }, headers: {} });
};
const sendSignature = async (prover: Prover, make: (payload: string) => string): Promise<Answer> => {
  const { signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
  const path = `/auth/sessions/${signedIn.session.id}`;
  const { body } = await prover.sandbox.send('DELETE', path);
  return prover.sandbox.send('DELETE', path, { headers: signed(body.requestId, make(body.payloadToSign)) });
};
const derOf = (payload: string) => Buffer.from(stampParts(payload, privateKey).signature, 'hex').toString('base64');

type Row = readonly [name: string, kind: Kind, reason: string, send: (prover: Prover) => Promise<Answer>];

const wrongMode: readonly Row[] = [
  ['000000', 'real', 'Invalid OTP code', (prover) => sendCode(prover, magic.otp)],
  [
    'the magic passkey signature',
    'real',
    'Invalid passkey signature',
    (prover) => sendAssertion(prover, magic.passkeySignature),
  ],
  ['the magic token', 'real', 'Invalid OIDC token', (prover) => sendToken(prover, magic.oidcToken)],
  [
    'the magic wallet signature',
    'real',
    'Invalid Service-Wallet-Signature',
    (prover) => sendSignature(prover, () => magic.walletSignature),
  ],
  ['a code of an e-mail', 'magic', 'Invalid OTP code', (prover) => sendCode(prover, '482913')],
  [
    'a passkey that signed',
    'magic',
    'Invalid passkey signature',
    (prover) => sendAssertion(prover, Buffer.alloc(71, 48).toString('base64url')),
  ],
  [
    'a passkey that signed with EdDSA, the shortest signature',
    'magic',
    'Invalid passkey signature',
    (prover) => sendAssertion(prover, Buffer.alloc(64, 48).toString('base64url')),
  ],
  ['a token', 'magic', 'Invalid OIDC token', (prover) => sendToken(prover, oidcToken())],
  [
    'a stamp',
    'magic',
    'Invalid Service-Wallet-Signature',
    (prover) => sendSignature(prover, (payload) => stampOf(payload, privateKey)),
  ],
  ['a signature alone', 'magic', 'Invalid Service-Wallet-Signature', (prover) => sendSignature(prover, derOf)],
  [
    'a token of an issuer that magic proofs do not know',
    'magic',
    'Invalid OIDC token',
    async ({ sandbox }) => {
      const { accountId } = await openWallet(sandbox);
      const body = oauthRequest(accountId, { iss: 'https://issuer.example' });
      return sandbox.send('POST', '/auth/credentials', { body });
    },
  ],
];

test.each(wrongMode)('%s, in %s proofs: 401 with a hint of the mode', async (_name, kind, reason, send) => {
  const answer = await send(await openProver(kind));
  expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', reason } });
  expect(answer.body.details.hint).toMatch(hints[kind]);
});

const sameMode: readonly Row[] = [
  ['a code that is wrong', 'real', 'Invalid OTP code', (prover) => sendCode(prover, '111111')],
  [
    'a wrong stamp',
    'real',
    'Invalid Service-Wallet-Signature',
    (prover) => sendSignature(prover, (payload) => stampOf(payload, privateKey)),
  ],
  ['text', 'real', 'Invalid Service-Wallet-Signature', (prover) => sendSignature(prover, () => 'nonsense')],
  ['text', 'magic', 'Invalid Service-Wallet-Signature', (prover) => sendSignature(prover, () => 'nonsense')],
  ...['publicKey', 'signature'].map(
    (field): Row => [
      `a stamp whose ${field} is a number`,
      'magic',
      'Invalid Service-Wallet-Signature',
      (prover) => sendSignature(prover, (payload) => encodeStamp({ ...stampParts(payload, privateKey), [field]: 7 })),
    ],
  ),
  [
    'fewer bytes than a passkey signs with',
    'magic',
    'Invalid passkey signature',
    (prover) => sendAssertion(prover, Buffer.alloc(63, 48).toString('base64url')),
  ],
  ['text as a code', 'magic', 'Invalid OTP code', (prover) => sendCode(prover, 'no code')],
  [
    'text as a passkey signature',
    'magic',
    'Invalid passkey signature',
    (prover) => sendAssertion(prover, 'sandbox-valid'),
  ],
  ['text as a token', 'magic', 'Invalid OIDC token', (prover) => sendToken(prover, 'no.token')],
  ...['5.{}.c', '{}.5.c', '{}."text".c', '[].{}.c', '{}.null.c', '{}.{}', '{}.{}.', '{}.{}.c.d'].map(
    (parts): Row => [
      `${parts} as a token`,
      'magic',
      'Invalid OIDC token',
      (prover) =>
        sendToken(
          prover,
          parts.replaceAll(/[{["5n][^.]*/g, (json) => Buffer.from(json).toString('base64url')),
        ),
    ],
  ),
];

test.each(sameMode)('%s, in %s proofs: 401 without a hint of the mode', async (_name, kind, reason, send) => {
  const answer = await send(await openProver(kind));
  expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', reason } });
  expect(JSON.stringify(answer.body)).not.toContain('this platform is in');
});

describe('no hint helps to guess', () => {
  test('in real proofs every wrong code is refused with the same words, however near it is', async () => {
    const prover = await openProver('real');
    const { accountId } = await openWallet(prover.sandbox);
    const { id } = await registerEmailOtp(prover.sandbox, accountId);
    const code = await newestCode(prover.sandbox, accountId);
    const near = code.slice(0, 5) + ((Number(code[5]) + 1) % 10);
    const bodies = [];
    for (const otp of [near, '999999' === code ? '888888' : '999999', 'x']) {
      const body = { type: 'EMAIL_OTP', otp, clientPublicKey };
      bodies.push((await verify(prover.sandbox, id, { body, headers: {} })).body);
    }
    expect(bodies[0]).not.toHaveProperty('details');
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
  });

  test('in magic proofs 000000 with no code pending has no hint: the mode is right', async () => {
    const prover = await openProver('magic');
    const { accountId, credential } = await openSignedIn(prover, 'EMAIL_OTP');
    expect(accountId).toBe(credential.accountId);
    const body = { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey };
    const answer = await verify(prover.sandbox, credential.id, { body, headers: {} });
    expect(answer).toMatchObject({ status: 401, body: { reason: 'Invalid OTP code' } });
    expect(answer.body).not.toHaveProperty('details');
  });
});
