/**
 * Promise: a passkey is identified by the bytes of its WebAuthn id, in any spelling, and can be registered once per
 * platform. The other fields of a registration have the contract's form (D12, D47, D48). A refused registration
 * registers nothing.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invalidField, notBase64Url } from '../support/proofs/passkeys.ts';
import { runs } from '../support/run/length.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  openSignedInWallet,
  openWallet,
  passkeyRequest,
  signAndSend,
  signed,
  walletState,
} from '../support/scenes/builders.ts';

const path = '/auth/credentials';
const register = (sandbox: TestSandbox, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  sandbox.send('POST', path, { body, headers });
const alreadyExists = { status: 400, body: { status: 400, code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS' } };

type PasskeyRequest = ReturnType<typeof passkeyRequest>;
const withId = (request: PasskeyRequest, credentialId: string): PasskeyRequest => ({
  ...request,
  attestation: { ...request.attestation, credentialId },
});

describe('case 65: the same WebAuthn id again', () => {
  // Four bytes, so that base64url pads them and has unused bits.
  const id = Buffer.from('key1').toString('base64url');

  async function openTaken() {
    const sandbox = await openSandbox();
    const wallet = await openSignedInWallet(sandbox);
    const request = withId(passkeyRequest(wallet.accountId), id);
    expect((await signAndSend(sandbox, 'POST', path, request)).status).toBe(201);
    const { accountId: otherAccountId } = await openWallet(sandbox, 'grace@example.com');
    return { sandbox, wallet, request, otherAccountId };
  }

  test.each([
    ['as it was', id],
    ['with padding', `${id}==`],
    ['with other left-over bits', id.replace(/Q$/, 'R')],
  ])('%s, on the same wallet and on another one: 400', async (_name, spelling) => {
    const { sandbox, wallet, request, otherAccountId } = await openTaken();
    const before = await walletState(sandbox, wallet.accountId);
    expect(await register(sandbox, withId(request, spelling))).toMatchObject(alreadyExists);
    expect(await register(sandbox, withId(passkeyRequest(otherAccountId), spelling))).toMatchObject(alreadyExists);
    expect(await walletState(sandbox, wallet.accountId)).toEqual(before);
    expect((await walletState(sandbox, otherAccountId)).credentials).toEqual([]);
  });

  test('on a signed retry that another registration overtook: 400, and the pending request stays', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openSignedInWallet(sandbox);
    const request = passkeyRequest(accountId, 'wanted twice');
    const { body: challenge } = await register(sandbox, request);
    const { accountId: otherAccountId } = await openWallet(sandbox, 'grace@example.com');
    expect((await register(sandbox, passkeyRequest(otherAccountId, 'wanted twice'))).status).toBe(201);
    for (const _ of ['once', 'again']) {
      expect(await register(sandbox, request, signed(challenge.requestId))).toMatchObject(alreadyExists);
    }
  });

  test('on two wallets at once: one is registered', async () => {
    const sandbox = await openSandbox();
    const wallets = await Promise.all([openWallet(sandbox), openWallet(sandbox, 'grace@example.com')]);
    const answers = await Promise.all(wallets.map(({ accountId }) => register(sandbox, passkeyRequest(accountId))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)).toMatchObject(alreadyExists);
  });

  test('any bytes: told apart by their value alone, and answered without padding', async () => {
    const sandbox = await openSandbox();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 70 }), fc.boolean(), async (bytes, paddedFirst) => {
        const plain = Buffer.from(bytes).toString('base64url');
        const padded = plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
        const [first, second] = paddedFirst ? [padded, plain] : [plain, padded];
        const { accountId } = await openWallet(sandbox);
        const taken = (await register(sandbox, withId(passkeyRequest(accountId), first))).body;
        // A run may draw bytes that an earlier run has registered.
        if (taken.code !== alreadyExists.body.code) expect(taken.credentialId).toBe(plain);
        const other = await openWallet(sandbox);
        expect(await register(sandbox, withId(passkeyRequest(other.accountId), second))).toMatchObject(alreadyExists);
      }),
      { numRuns: runs(25) },
    );
  });
});

describe('what comes with a registration', () => {
  /** The request with the value at a pointer replaced; undefined removes it. */
  function changed(request: PasskeyRequest, pointer: string, value: unknown): object {
    const [first = '', second] = pointer.slice(1).split('/');
    if (second === undefined) return { ...request, [first]: value };
    return { ...request, attestation: { ...request.attestation, [second]: value } };
  }

  async function answerTo(pointer: string, value: unknown): Promise<Answer> {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const answer = await register(sandbox, changed(passkeyRequest(accountId), pointer, value));
    const { credentials } = await walletState(sandbox, accountId);
    expect(credentials).toHaveLength(answer.status === 201 ? 1 : 0);
    return answer;
  }

  const named = ['/challenge', '/attestation/credentialId'];
  // Only real proofs read these (D19).
  const carried = ['/attestation/clientDataJson', '/attestation/attestationObject'];
  const pointers = [...named, ...carried];

  test.each(named.flatMap((pointer) => notBase64Url.map((text) => [pointer, text] as const)))(
    'case 62: %s %j is not base64url: 400',
    async (pointer, text) => {
      expect(await answerTo(pointer, text)).toMatchObject(invalidField(pointer));
    },
  );

  test.each(carried.flatMap((pointer) => ['stub', 'dummy', ...notBase64Url].map((text) => [pointer, text] as const)))(
    '%s %j is accepted as it is: 201',
    async (pointer, text) => {
      expect((await answerTo(pointer, text)).status).toBe(201);
    },
  );

  test.each(
    pointers.flatMap((pointer) =>
      ['AA', 'AA==', 'AAA', 'AAA=', 'AAAA', '_-_-'].map((text) => [pointer, text] as const),
    ),
  )('case 62: %s %j is base64url: 201', async (pointer, text) => {
    expect((await answerTo(pointer, text)).status).toBe(201);
  });

  const misfits: readonly (readonly [pointer: string, value: unknown])[] = [
    ...[...pointers, '/nickname', '/attestation', '/attestation/transports'].map((pointer) => [pointer, 7] as const),
    ...[...pointers, '/nickname', '/attestation'].map((pointer) => [pointer, undefined] as const),
    ...pointers.map((pointer) => [pointer, null] as const),
    ['/attestation/signature', 'AAAA'],
    ['/clientPublicKey', 'AAAA'],
  ];
  test.each(misfits)('%s: %j: 400 that names the field', async (pointer, value) => {
    expect(await answerTo(pointer, value)).toMatchObject(invalidField(pointer));
  });

  test.each([
    ['/attestation/credentialId', 1364],
    ['/attestation/clientDataJson', 262_144],
    ['/attestation/attestationObject', 262_144],
    ['/challenge', 1024],
  ])('%s may have %i characters, and no four more', async (pointer, length) => {
    expect((await answerTo(pointer, 'x'.repeat(length))).status).toBe(201);
    const { status, body } = await answerTo(pointer, 'x'.repeat(length + 4));
    expect(status).toBe(400);
    expect(body.details.errors).toContainEqual(expect.objectContaining({ in: 'body', pointer }));
  });

  test.each([
    ['absent', undefined, 201],
    ['none', [], 201],
    ['all there are', ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'], 201],
    ['one twice', ['usb', 'usb'], 400],
    ['case 128: an older word', ['internal', 'cable'], 201],
    ['case 128: a word to come', ['future-x'], 201],
    ['sixteen', Array.from({ length: 16 }, (_, number) => `t${number}`), 201],
    ['seventeen', Array.from({ length: 17 }, (_, number) => `t${number}`), 400],
    ['one of 32 characters', ['t'.repeat(32)], 201],
    ['one of 33 characters', ['t'.repeat(33)], 400],
    ['an empty one', [''], 400],
    ['a number', [7], 400],
  ])('transports: %s', async (_name, transports, status) => {
    expect((await answerTo('/attestation/transports', transports)).status).toBe(status);
  });

  test.each([
    'x',
    "Ada's (2nd) key_1.0 - home",
    'Ключ',
    '鍵 一',
    'e\u0301',
    '٣',
    '½ ª',
    'n'.repeat(100),
    '𝒜'.repeat(100),
  ])('the nickname %j is kept as it was sent (D48)', async (nickname) => {
    const { status, body } = await answerTo('/nickname', nickname);
    expect(status).toBe(201);
    expect(body.nickname).toBe(nickname);
  });

  const ascii = [
    '',
    ' ',
    ' key',
    'key ',
    'a\tb',
    'a\nb',
    'key\n',
    'a/b',
    '<b>',
    'a\u007fb',
    'a\u0000b',
    'n'.repeat(101),
  ];
  // Each is refused only because of its characters.
  const beyond = ['🔑', '«key»', 'a\u00a0b', '\u2003key', 'a\u200bb', 'a\u2028b', 'key…', '№ 1', '€', '鍵、一'];

  test.each([...ascii, ...beyond])('the nickname %j: 400 (D48)', async (nickname) => {
    expect(await answerTo('/nickname', nickname)).toMatchObject(invalidField('/nickname'));
  });
});
