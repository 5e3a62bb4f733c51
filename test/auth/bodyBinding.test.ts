/**
 * Promise: a pending request is bound to the canonical JSON of its body (D15). Between the two calls only the order of
 * keys, white space and character escapes may differ. A retry with another body changes nothing, and the pending
 * request can still be used.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import {
  clientKeys,
  openSignedInWallet,
  openWallet,
  passkeyRequest,
  registerEmailOtp,
  signed,
  walletState,
} from '../support/scenes/builders.ts';

const mismatch = { status: 401, body: { status: 401, code: 'WALLET_SIGNATURE_BODY_MISMATCH' } };

/** The same value as JSON text, with keys in another order, white space between tokens, and escaped characters. */
function rewrite(value: unknown, chance: { indent: number; reverse: boolean; escape: boolean }): string {
  const turned = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
    const entries = Object.entries(node).map(([key, child]) => [key, turned(child)] as const);
    return Object.fromEntries(chance.reverse ? entries.reverse() : entries);
  };
  const text = JSON.stringify(turned(value), null, chance.indent);
  if (!chance.escape) return text;
  return text.replaceAll(/[a-z]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

test('the same body written in any other way is the same request', async () => {
  const sandbox = await openSandbox();
  const { accountId } = await openSignedInWallet(sandbox);
  let names = 0;
  const writing = fc.record({ indent: fc.nat({ max: 10 }), reverse: fc.boolean(), escape: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(writing, writing, async (first, second) => {
      names += 1;
      const body = passkeyRequest(accountId, `passkey of run ${names}`);
      const challenge = await sandbox.send('POST', '/auth/credentials', { text: rewrite(body, first) });
      expect(challenge.status).toBe(202);
      const headers = signed(challenge.body.requestId);
      const retry = await sandbox.send('POST', '/auth/credentials', { text: rewrite(body, second), headers });
      expect(retry.status).toBe(201);
    }),
    { numRuns: runs(20) },
  );
});

describe('case 38: createCredential', () => {
  const body = (accountId: string) => ({ ...passkeyRequest(accountId, 'abcd'), nickname: 'Ren\u00e9' });
  const attestation = (fields: object) => (request: ReturnType<typeof body>) => ({
    ...request,
    attestation: { ...request.attestation, ...fields },
  });

  test.each([
    ['another nickname', (request: object) => ({ ...request, nickname: 'Rene' })],
    ['the nickname in another normal form', (request: object) => ({ ...request, nickname: 'Rene\u0301' })],
    ['the nickname in another case', (request: object) => ({ ...request, nickname: 'ren\u00e9' })],
    ['another challenge', (request: object) => ({ ...request, challenge: 'AAAA' })],
    ['another passkey', attestation({ credentialId: 'AAAA' })],
    ['the same passkey in another spelling', attestation({ credentialId: 'YWJjZA==' })],
    ['another attestation', attestation({ attestationObject: 'AAAA' })],
    ['no transports', attestation({ transports: undefined })],
    ['more transports', attestation({ transports: ['internal', 'usb'] })],
    ['another type', ({ accountId }: { accountId: string }) => ({ type: 'EMAIL_OTP', accountId })],
  ])('%s: 401', async (_name, change) => {
    const sandbox = await openSandbox();
    const { accountId } = await openSignedInWallet(sandbox);
    const request = body(accountId);
    const challenge = await sandbox.send('POST', '/auth/credentials', { body: request });
    const before = await walletState(sandbox, accountId);
    const headers = signed(challenge.body.requestId);
    const retry = await sandbox.send('POST', '/auth/credentials', { body: change(request), headers });
    expect(retry).toMatchObject(mismatch);
    expect(await walletState(sandbox, accountId)).toEqual(before);
    expect((await sandbox.send('POST', '/auth/credentials', { body: request, headers })).status).toBe(201);
  });

  test('another account: 401 on a wallet where something needs signing', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openSignedInWallet(sandbox);
    const other = await openWallet(sandbox, 'grace@example.com');
    await registerEmailOtp(sandbox, other.accountId);
    const challenge = await sandbox.send('POST', '/auth/credentials', { body: body(accountId) });
    const headers = signed(challenge.body.requestId);
    const retry = await sandbox.send('POST', '/auth/credentials', { body: body(other.accountId), headers });
    expect(retry).toMatchObject(mismatch);
    expect((await walletState(sandbox, other.accountId)).credentials).toHaveLength(1);
  });
});

test.each([
  ['another key', clientKeys(9).publicKeyHex],
  ['the same key in upper case', clientKeys().publicKeyHex.toUpperCase()],
])('case 38: refreshSession with %s on the retry: 401 and no session', async (_name, secondKey) => {
  const sandbox = await openSandbox();
  const { accountId, session } = await openSignedInWallet(sandbox);
  const path = `/auth/sessions/${session.id}/refresh`;
  const body = { clientPublicKey: clientKeys().publicKeyHex };
  const challenge = await sandbox.send('POST', path, { body });
  const before = await walletState(sandbox, accountId);
  const headers = signed(challenge.body.requestId);
  expect(await sandbox.send('POST', path, { body: { clientPublicKey: secondKey }, headers })).toMatchObject(mismatch);
  expect(await walletState(sandbox, accountId)).toEqual(before);
  expect((await sandbox.send('POST', path, { body, headers })).status).toBe(201);
});

test('a DELETE has no body that could differ: one that is sent anyway is left unread (D53)', async () => {
  const sandbox = await openSandbox();
  const { session } = await openSignedInWallet(sandbox);
  const path = `/auth/sessions/${session.id}`;
  const challenge = await sandbox.send('DELETE', path, { body: { reason: 'lost' } });
  const headers = signed(challenge.body.requestId);
  expect((await sandbox.send('DELETE', path, { text: 'not JSON', headers })).status).toBe(204);
});
