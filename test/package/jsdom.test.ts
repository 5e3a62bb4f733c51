/**
 * Promise: a sandbox works in a test with a DOM. jsdom has its own `Uint8Array`, of which Node's Buffers aren't
 * instances. In the long run, examples/msw runs with jsdom itself.
 */
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createServiceClient } from '../../generated/client.ts';
import { createSandbox } from '../../package/sandbox.ts';

const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };

beforeEach(() => {
  vi.stubGlobal('Uint8Array', runInNewContext('Uint8Array'));
});

test.each(['magic', 'real'] as const)('with %s proofs', async (proofs) => {
  expect(Buffer.from('a')).not.toBeInstanceOf(Uint8Array);
  const sandbox = await createSandbox({ proofs, onFault: expect.unreachable });
  onTestFinished(() => sandbox.close());
  const client = createServiceClient({ baseUrl: sandbox.url, credentials, fetch: sandbox.fetch });
  const { data: wallets } = await client.GET('/customers/internal-accounts', {
    params: { query: { type: 'EMBEDDED_WALLET' } },
  });
  const accountId = wallets?.data[0]?.id ?? '';
  const credential = await client.POST('/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } });
  expect(credential.response.status).toBe(201);

  const authorization = { Authorization: `Basic ${btoa('sandbox:sandbox')}` };
  const control = async (path: string) => {
    const answer = await sandbox.fetch(`/__sandbox${path}`, { headers: authorization });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.json();
  };
  const { data: codes } = await control('/outbox');
  const clientPublicKey = `046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296${'4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5'}`;
  const session = await client.POST('/auth/credentials/{id}/verify', {
    params: { path: { id: credential.data && 'id' in credential.data ? credential.data.id : '' } },
    body: { type: 'EMAIL_OTP', otp: proofs === 'real' ? codes[0].code : '000000', clientPublicKey },
  });
  expect([session.error, session.data?.encryptedSessionSigningKey]).toEqual([undefined, expect.any(String)]);
  expect((await control('/journal?format=har')).log.entries).toHaveLength(3);
  await control('/snapshot');
  await sandbox.reset();
  const { data: after } = await client.GET('/auth/credentials', { params: { query: { accountId } } });
  expect(after?.data ?? []).toEqual([]);
});
