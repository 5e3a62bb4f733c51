/**
 * Promise: with real proofs a passkey is registered only if its attestation passes all checks. It must answer the
 * challenge that is sent with it, come from an origin and a relying party of the settings, be made by a user who was
 * present, and belong to the credential that it names. Anything else is 401 with the reason for passkeys, and registers
 * nothing (D57).
 */
import { describe, expect, test } from 'vitest';
import {
  type Algorithm,
  type Attestation,
  createPasskey,
  type Deviation,
  flags,
} from '../../support/proofs/authenticator.ts';
import { invalidField, invalidPasskey, notBase64Url } from '../../support/proofs/passkeys.ts';
import { openProver, openSignedIn } from '../../support/proofs/prover.ts';
import { openWallet, signed, walletState } from '../../support/scenes/builders.ts';

const challenge = Buffer.from('registration challenge').toString('base64url');

async function openUnregistered() {
  const { sandbox } = await openProver('real');
  const { accountId } = await openWallet(sandbox);
  const register = (attestation: object, sent = challenge) =>
    sandbox.send('POST', '/auth/credentials', {
      body: { type: 'PASSKEY', accountId, nickname: 'Laptop', challenge: sent, attestation },
    });
  const count = async () => (await walletState(sandbox, accountId)).credentials.length;
  return { register, count };
}

test.each<Algorithm>(['ES256', 'RS256', 'EdDSA'])(
  'a key for %s is registered, by an attestation without statement or with its own',
  async (algorithm) => {
    for (const packed of [false, true]) {
      const { register, count } = await openUnregistered();
      const passkey = createPasskey({ algorithm });
      const answer = await register(passkey.attest(challenge, { packed }));
      expect(answer).toMatchObject({ status: 201, body: { credentialId: passkey.credentialId, nickname: 'Laptop' } });
      expect(await count()).toBe(1);
    }
  },
);

test('a statement by another key: 401', async () => {
  const { register, count } = await openUnregistered();
  const { sign } = createPasskey({ seed: 'another' });
  expect(await register(createPasskey().attest(challenge, { packed: true, sign }))).toMatchObject(invalidPasskey);
  expect(await count()).toBe(0);
});

const asLaidOut = flags.userPresent | flags.attested;
test.each<[string, number, Deviation]>([
  ['another challenge', 401, { clientData: { challenge: Buffer.from('another').toString('base64url') } }],
  ['no challenge', 401, { clientData: { challenge: undefined } }],
  ['case 62: its challenge with padding', 201, { clientData: { challenge: `${challenge}==` } }],
  ['the type of an assertion', 401, { clientData: { type: 'webauthn.get' } }],
  ['another origin', 401, { clientData: { origin: 'https://evil.example' } }],
  ['no origin', 401, { clientData: { origin: undefined } }],
  ['another rpId', 401, { rpId: 'evil.example' }],
  ['nobody present', 401, { flags: flags.attested }],
  ['presence only, nobody verified', 201, { flags: asLaidOut }],
  ['no attested data in spite of its flags', 401, { flags: flags.userPresent }],
  ['extensions announced and not there', 401, { flags: asLaidOut | 0x80 }],
  ['the id of another passkey inside', 401, { credentialId: createPasskey({ seed: 'another' }).credentialId }],
  ["a statement that names another algorithm than the key's", 401, { packed: true, statementAlgorithm: -257 }],
  ['an id inside that goes on', 401, { credentialId: `${createPasskey().credentialId}AAAA` }],
])('an attestation with %s: %i', async (_name, status, deviation) => {
  const { register, count } = await openUnregistered();
  const answer = await register(createPasskey().attest(challenge, deviation));
  expect(answer).toMatchObject(status === 201 ? { status } : invalidPasskey);
  expect(await count()).toBe(status === 201 ? 1 : 0);
});

describe('an attestation that cannot be read is a proof that failed, not a fault of ours', () => {
  const good = createPasskey().attest(challenge);
  const object = Buffer.from(good.attestationObject, 'base64url');
  const base64Url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
  const rows: readonly (readonly [string, Partial<Attestation>])[] = [
    ['another credentialId outside', { credentialId: createPasskey({ seed: 'another' }).credentialId }],
    ['an object cut short', { attestationObject: base64Url(object.subarray(0, 100)) }],
    ['an object of zeros', { attestationObject: base64Url(new Uint8Array(100)) }],
    ['an object that is a text', { attestationObject: base64Url('attestation') }],
    ["client data that isn't JSON", { clientDataJson: base64Url('{"type":') }],
    ['client data that is null', { clientDataJson: base64Url('null') }],
    ['client data of something else', { clientDataJson: base64Url('{}') }],
    ['the kind of attestation unknown', { attestationObject: base64Url(renamed(object, 'none', 'nine')) }],
    ['a key for ES384', { attestationObject: base64Url(replaced(object, '010203262001', '010203382220')) }],
  ];
  test.each(rows)('%s: 401', async (_name, changed) => {
    const { register, count } = await openUnregistered();
    expect(await register({ ...good, ...changed })).toMatchObject(invalidPasskey);
    expect(await count()).toBe(0);
  });
});

test.each(
  ['clientDataJson', 'attestationObject'].flatMap((field) => notBase64Url.map((text) => [field, text] as const)),
)('case 62: %s %j is not base64url: 400', async (field, text) => {
  const { register, count } = await openUnregistered();
  const answer = await register({ ...createPasskey().attest(challenge), [field]: text });
  expect(answer).toMatchObject(invalidField(`/attestation/${field}`));
  expect(await count()).toBe(0);
});

test('case 64: a challenge that was encoded twice: 401 with a hint that says so', async () => {
  const { register } = await openUnregistered();
  const twice = createPasskey().attest(Buffer.from(challenge).toString('base64url'));
  const refused = await register(twice);
  expect(refused).toMatchObject(invalidPasskey);
  expect(refused.body.details.hint).toMatch(/encoded twice/);
});

test('case 46: as a further credential it is checked on both steps, and stays good until the retry', async () => {
  const prover = await openProver('real');
  const { sandbox } = prover;
  const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
  const request = (seed: string, signedChallenge = challenge) => ({
    type: 'PASSKEY',
    accountId,
    nickname: 'Laptop',
    challenge,
    attestation: createPasskey({ seed }).attest(signedChallenge),
  });
  const send = (body: object, headers = {}) => sandbox.send('POST', '/auth/credentials', { body, headers });

  expect(await send(request('bad', 'AAAA'))).toMatchObject(invalidPasskey);
  const body = request('good');
  const { status, body: asked } = await send(body);
  expect(status).toBe(202);
  await sandbox.advance(299);
  const headers = signed(asked.requestId, prover.sign(asked.payloadToSign, signedIn));
  expect(await send(request('bad', 'AAAA'), headers)).toMatchObject({
    body: { code: 'WALLET_SIGNATURE_BODY_MISMATCH' },
  });
  expect((await send(body, headers)).status).toBe(201);
  expect((await walletState(sandbox, accountId)).credentials).toHaveLength(2);
});

function renamed(object: Buffer, from: string, to: string): Buffer {
  return replaced(object, Buffer.from(from).toString('hex'), Buffer.from(to).toString('hex'));
}

/** The bytes with a sequence, in hexadecimal, replaced by another of the same length. */
function replaced(object: Buffer, from: string, to: string): Buffer {
  const at = object.indexOf(Buffer.from(from, 'hex'));
  if (at < 0) throw new Error(`No ${from} in there`);
  return Buffer.concat([object.subarray(0, at), Buffer.from(to, 'hex'), object.subarray(at + from.length / 2)]);
}
