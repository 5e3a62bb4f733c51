/**
 * Promise: with real proofs an assertion opens a session only if all checks of WebAuthn pass. It needs the credential's
 * passkey, the issued challenge, an origin and a relying party of the settings, a present user, and the signature by
 * the registered key. Anything else is 401, issues nothing and uses nothing up (D19, D47).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Algorithm,
  createPasskey,
  type Deviation,
  es256Secret,
  flags,
} from '../../support/proofs/authenticator.ts';
import { invalidField, invalidPasskey, notBase64Url, openPasskey } from '../../support/proofs/passkeys.ts';
import { challengeCredential, findSignature, registerBy, signInBy, verify } from '../../support/proofs/prover.ts';
import { runs } from '../../support/run/length.ts';

describe.each<Algorithm>(['ES256', 'RS256', 'EdDSA'])('%s', (algorithm) => {
  test('its own key signs in, and any other key does not', async () => {
    const { ask, send, passkey, sessions } = await openPasskey({ algorithm });
    const { challenge, requestId } = await ask();
    const { sign } = createPasskey({ algorithm, seed: 'another key' });
    expect(await send(passkey.assert(challenge, { sign }), requestId)).toMatchObject(invalidPasskey);
    expect(await sessions()).toBe(0);
    expect((await send(passkey.assert(challenge), requestId)).status).toBe(200);
    expect(await sessions()).toBe(1);
  });

  test('every part that is signed counts, and the signature itself', async () => {
    const { ask, send, passkey, sessions } = await openPasskey({ algorithm });
    const { challenge, requestId } = await ask();
    const good = passkey.assert(challenge);
    const flip = (text: string, at: number) => {
      const bytes = Buffer.from(text, 'base64url');
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return bytes.toString('base64url');
    };
    const other = passkey.assert(challenge, { clientData: { extra: 1 } });
    for (const changed of [
      { clientDataJson: other.clientDataJson },
      { clientDataJson: Buffer.from(`${Buffer.from(good.clientDataJson, 'base64url')} `).toString('base64url') },
      { authenticatorData: flip(good.authenticatorData, 36) },
      { signature: flip(good.signature, 20) },
      { signature: other.signature },
      { signature: good.signature.slice(0, -4) },
      { signature: `${good.signature.slice(0, Math.floor(good.signature.length / 4) * 4)}AAAA` },
    ]) {
      expect(await send({ ...good, ...changed }, requestId), JSON.stringify(changed)).toMatchObject(invalidPasskey);
    }
    expect(await sessions()).toBe(0);
    expect((await send(good, requestId)).status).toBe(200);
  });
});

test.each(['A', 'AB=A', 'not base64url', 'ä', '+/+/'])(
  'a signature that reads %j is none: 401 and why',
  async (text) => {
    const { ask, send, passkey, sessions } = await openPasskey();
    const { challenge, requestId } = await ask();
    const answer = await send({ ...passkey.assert(challenge), signature: text }, requestId);
    expect(answer).toMatchObject(invalidPasskey);
    expect(answer.body.details.hint).toBe('the signature is not base64url');
    expect(await sessions()).toBe(0);
  },
);

describe('the challenge', () => {
  const write = (challenge: unknown): Deviation => ({ clientData: { challenge } });

  test('case 62: it is issued without padding; the same bytes with padding are accepted', async () => {
    const { ask, send, passkey } = await openPasskey();
    const { challenge, requestId } = await ask();
    expect(challenge).toMatch(/^[\w-]{43}$/);
    expect((await send(passkey.assert(challenge, write(`${challenge}=`)), requestId)).status).toBe(200);
  });

  test('case 62: in plain base64 it is another text', async () => {
    const { sandbox, ask, send, passkey } = await openPasskey();
    let asked = await ask();
    while (!/[-_]/.test(asked.challenge)) {
      await sandbox.advance(60);
      asked = await ask();
    }
    const plain = Buffer.from(asked.challenge, 'base64url').toString('base64');
    expect(await send(passkey.assert(asked.challenge, write(plain)), asked.requestId)).toMatchObject(invalidPasskey);
  });

  test.each<[string, (challenge: string) => unknown]>([
    ['another one', () => Buffer.alloc(32, 7).toString('base64url')],
    ['none', () => undefined],
    ['empty', () => ''],
    ['a part of it', (challenge) => challenge.slice(0, -2)],
    ['it and more', (challenge) => `${challenge}AA`],
    ['it with characters between that a lax reader skips', (challenge) => `*${challenge}`],
    ['its bytes as a list', (challenge) => [...Buffer.from(challenge, 'base64url')]],
    ['a list of it', (challenge) => [challenge]],
  ])('%s: 401', async (_name, change) => {
    const { ask, send, passkey, sessions } = await openPasskey();
    const { challenge, requestId } = await ask();
    expect(await send(passkey.assert(challenge, write(change(challenge))), requestId)).toMatchObject(invalidPasskey);
    expect(await sessions()).toBe(0);
  });

  test('case 64: encoded twice: 401 with a hint that says so', async () => {
    const { ask, send, passkey } = await openPasskey();
    const { challenge, requestId } = await ask();
    const twice = passkey.assert(Buffer.from(challenge).toString('base64url'));
    const refused = await send(twice, requestId);
    expect(refused).toMatchObject(invalidPasskey);
    expect(refused.body.details.hint).toMatch(/encoded twice/);
  });

  test('it belongs to its Request-Id', async () => {
    const { ask, send, passkey } = await openPasskey();
    const [first, second] = [await ask(), await ask()];
    expect(await send(passkey.assert(first.challenge), second.requestId)).toMatchObject(invalidPasskey);
    expect((await send(passkey.assert(first.challenge), first.requestId)).status).toBe(200);
    expect((await send(passkey.assert(second.challenge), second.requestId)).status).toBe(200);
  });
});

describe('the Request-Id', () => {
  test('case 67: missing, unknown, of another credential, of a signed retry, expired, used: 401', async () => {
    const { prover, sandbox, accountId, credential, passkey, ask, send, sessions } = await openPasskey();
    const by = await signInBy(prover, credential);
    const other = await registerBy(prover, 'PASSKEY', accountId, { name: 'phone', by });
    const { challenge, requestId } = await ask();
    const assertion = passkey.assert(challenge);

    const none = await verify(sandbox, credential.id, { body: { type: 'PASSKEY', assertion }, headers: {} });
    expect(none).toMatchObject({ status: 401, body: { code: 'REQUEST_ID_MISSING' } });
    const retry = await sandbox.send('DELETE', `/auth/sessions/${by.session.id}`);
    const foreign = await challengeCredential(sandbox, other.id);
    const unknown = 'Request:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13';
    const invalid = { status: 401, body: { code: 'REQUEST_ID_INVALID' } };
    for (const id of [foreign.body.requestId, retry.body.requestId, unknown, 'nonsense']) {
      expect(await send(assertion, id), id).toMatchObject(invalid);
    }
    // The other passkey's valid answer to its own challenge proves nothing for this one.
    const byOther = prover.passkey(other.credentialId ?? '').assert(foreign.body.challenge);
    expect(await send(byOther, foreign.body.requestId)).toMatchObject(invalid);

    expect((await send(assertion, requestId)).status).toBe(200);
    expect(await send(assertion, requestId)).toMatchObject(invalid);
    const late = await ask();
    await sandbox.advance(300);
    expect(await send(passkey.assert(late.challenge), late.requestId)).toMatchObject(invalid);
    expect(await sessions()).toBe(2);
  });

  test('of ten right answers at once one gives a session', async () => {
    const { ask, send, passkey, sessions } = await openPasskey();
    const { challenge, requestId } = await ask();
    const assertion = passkey.assert(challenge);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(assertion, requestId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
    expect(await sessions()).toBe(1);
  });
});

describe('what else is in an assertion', () => {
  test.each<[string, number, Deviation]>([
    ['another rpId', 401, { rpId: 'localhost.example' }],
    ['the origin as rpId', 401, { rpId: 'http://localhost:4010' }],
    ['nobody present', 401, { flags: flags.userVerified }],
    ['presence only, nobody verified', 200, { flags: flags.userPresent }],
    ['backed up, though not eligible', 401, { flags: flags.userPresent | 0x10 }],
    ['the type of a registration', 401, { clientData: { type: 'webauthn.create' } }],
    ['no type', 401, { clientData: { type: undefined } }],
    ['embedded elsewhere', 401, { clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } }],
    ['embedded, nobody knows where', 401, { clientData: { crossOrigin: true } }],
    ['embedded in a way of its own', 401, { clientData: { crossOrigin: 'true' } }],
    ['a page around it, and not embedded', 401, { clientData: { topOrigin: 'http://localhost:4010' } }],
    ['nothing said about frames', 200, { clientData: { crossOrigin: undefined } }],
    ['an unknown member beside', 200, { clientData: { other_keys_can_be_added_here: 'x' } }],
  ])('%s: %i', async (_name, status, deviation) => {
    const { answer, sessions } = await openPasskey();
    const given = await answer(deviation);
    expect(given).toMatchObject(status === 200 ? { status } : invalidPasskey);
    expect(await sessions()).toBe(status === 200 ? 1 : 0);
  });

  test("another passkey's id, of this wallet or of none: 401", async () => {
    const { prover, accountId, credential, ask, send, passkey } = await openPasskey();
    const by = await signInBy(prover, credential);
    const other = await registerBy(prover, 'PASSKEY', accountId, { name: 'phone', by });
    const { challenge, requestId } = await ask();
    const otherPasskey = prover.passkey(other.credentialId ?? '');
    const unknown = createPasskey({ seed: 'unknown' });
    for (const assertion of [
      otherPasskey.assert(challenge),
      unknown.assert(challenge),
      passkey.assert(challenge, { credentialId: otherPasskey.credentialId }),
      otherPasskey.assert(challenge, { credentialId: passkey.credentialId }),
    ]) {
      expect(await send(assertion, requestId)).toMatchObject(invalidPasskey);
    }
    expect((await send(passkey.assert(challenge), requestId)).status).toBe(200);
  });

  test('ids and all other fields may have padding (D47)', async () => {
    const { ask, send, passkey } = await openPasskey();
    const { challenge, requestId } = await ask();
    const pad = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');
    const padded = Object.entries(passkey.assert(challenge)).map(([name, text]) => [name, pad(String(text))]);
    expect((await send(Object.fromEntries(padded), requestId)).status).toBe(200);
  });
});

describe('an assertion that cannot be read is a proof that failed, not a fault of ours', () => {
  const base64Url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
  test.each([
    ["client data that isn't JSON", { clientDataJson: base64Url('{"type":') }],
    ['client data that is null', { clientDataJson: base64Url('null') }],
    ['client data that is a list', { clientDataJson: base64Url('[]') }],
    ['client data with half a surrogate pair', { clientDataJson: base64Url('{"type":"webauthn.get\\ud800"}') }],
    ['authenticator data cut short', { authenticatorData: base64Url(new Uint8Array(36)) }],
    ['authenticator data that goes on', { authenticatorData: base64Url(new Uint8Array(38)) }],
  ])('%s: 401', async (_name, changed) => {
    const { ask, send, passkey } = await openPasskey();
    const { challenge, requestId } = await ask();
    expect(await send({ ...passkey.assert(challenge), ...changed }, requestId)).toMatchObject(invalidPasskey);
  });

  test('any bytes in any field: 401', async () => {
    const { ask, send, passkey } = await openPasskey();
    const { challenge, requestId } = await ask();
    const fields = fc.constantFrom('credentialId', 'clientDataJson', 'authenticatorData', 'signature');
    const bytes = fc.oneof(fc.json().map(base64Url), fc.uint8Array({ minLength: 1, maxLength: 200 }).map(base64Url));
    await fc.assert(
      fc.asyncProperty(fields, bytes, async (field, value) => {
        const answer = await send({ ...passkey.assert(challenge), [field]: value }, requestId);
        expect(answer).toMatchObject(invalidPasskey);
      }),
      { numRuns: runs(60) },
    );
  });
});

test.each(
  ['clientDataJson', 'authenticatorData', 'userHandle'].flatMap((field) =>
    [...notBase64Url, ...(field === 'userHandle' ? ['A'.repeat(88)] : [])].map((text) => [field, text] as const),
  ),
)('case 62: %s %j is not base64url: 400', async (field, text) => {
  const { ask, send, passkey } = await openPasskey();
  const { challenge, requestId } = await ask();
  const assertion = passkey.assert(challenge);
  expect(await send({ ...assertion, [field]: text }, requestId)).toMatchObject(invalidField(`/assertion/${field}`));
  expect((await send({ ...assertion }, requestId)).status).toBe(200);
});

describe('the encoding of the signature', () => {
  const rows: readonly (readonly [string, (signature: string) => string])[] = [
    ['characters of no alphabet', (signature) => `%%${signature}`],
    ['spaces around', (signature) => ` ${signature} `],
    ['a space inside', (signature) => `${signature.slice(0, 8)} ${signature.slice(8)}`],
    ['a line break behind', (signature) => `${signature}\n`],
    ['a letter beyond ASCII', (signature) => `${signature}é`],
    ['junk behind', (signature) => `${signature}!junk`],
    [
      'a length that no bytes have',
      (signature) => `${signature}A`.padEnd(Math.ceil(signature.length / 4) * 4 + 1, 'A'),
    ],
    ['wrong padding', (signature) => `${signature.padEnd(Math.ceil(signature.length / 4) * 4, '=')}=`],
    ['plain base64', (signature) => signature.replaceAll('-', '+').replaceAll('_', '/')],
  ];
  test.each(rows)('%s: 401, and the challenge stays good', async (_name, change) => {
    const { ask, send, passkey, sessions } = await openPasskey();
    const { challenge, requestId } = await ask();
    // A signature in which base64 and base64url differ.
    const byLuck = (data: Uint8Array) =>
      findSignature(data, es256Secret('laptop'), ({ der }) => /[-_]/.test(Buffer.from(der).toString('base64url'))).der;
    const good = passkey.assert(challenge, { sign: byLuck });
    expect(await send({ ...good, signature: change(good.signature) }, requestId)).toMatchObject(invalidPasskey);
    expect(await sessions()).toBe(0);
    expect((await send(good, requestId)).status).toBe(200);
  });
});

describe('the form of an ES256 signature', () => {
  const secret = es256Secret('laptop');

  test.each<[string, Parameters<typeof findSignature>[2]]>([
    ['a short r', ({ r }) => r[0] === 0 && Number(r[1]) < 128],
    ['a short s', ({ s }) => s[0] === 0 && Number(s[1]) < 128],
    ['a low s', ({ s }) => Number(s[0]) < 127],
    ['a high s', ({ s }) => Number(s[0]) > 127],
  ])('case 52: with %s it verifies', async (_name, accept) => {
    const { answer } = await openPasskey();
    expect((await answer({ sign: (data) => findSignature(data, secret, accept).der })).status).toBe(200);
  });

  test.each<[string, (data: Uint8Array) => Uint8Array]>([
    ['case 53: r and s in 64 bytes', (data) => findSignature(data, secret, () => true).raw],
    ['case 53: 64 bytes that begin with 0x30', (data) => findSignature(data, secret, ({ r }) => r[0] === 0x30).raw],
    ['DER and a byte more', (data) => Buffer.concat([findSignature(data, secret, () => true).der, Buffer.of(0)])],
    ['DER cut short', (data) => findSignature(data, secret, () => true).der.slice(0, -1)],
    [
      'a length in the longer form, which is BER',
      (data) => {
        const { der } = findSignature(data, secret, () => true);
        return Buffer.concat([Buffer.of(0x30, 0x81), der.subarray(1)]);
      },
    ],
    ['zeros', () => Buffer.from('3006020100020100', 'hex')],
    ['one byte', () => Buffer.of(0x30)],
  ])('%s: 401', async (_name, sign) => {
    const { answer } = await openPasskey();
    expect(await answer({ sign })).toMatchObject(invalidPasskey);
  });
});
