/** Tests the page as Vite serves and builds it: its calls reach the service, and it doesn't contain the token. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServiceClient } from 'countersign';
import { createSandbox } from 'countersign/sandbox';
import { build, createServer } from 'vite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// An easily recognised secret.
const secret = 'a-secret-of-this-test';
const sandbox = await createSandbox();
const sandboxUrl = await sandbox.listen();
const made = await sandbox.client().POST('/tokens', { body: { name: 'Relay', permissions: ['VIEW'] } });

beforeAll(() => {
  vi.stubEnv('SERVICE_URL', sandboxUrl);
  vi.stubEnv('SERVICE_CLIENT_ID', made.data?.clientId ?? '');
  vi.stubEnv('SERVICE_CLIENT_SECRET', made.data?.clientSecret ?? secret);
});
afterAll(() => sandbox.close());

test('Vite’s proxy adds the token and the user', async () => {
  const server = await createServer({ server: { port: 0 }, logLevel: 'error' });
  await server.listen();
  try {
    const [page = ''] = server.resolvedUrls?.local ?? [];
    const client = createServiceClient({ baseUrl: `${page}api` });
    const { data } = await client.GET('/customers/internal-accounts');
    expect(data?.data.map(({ balance }) => balance.currency.code).sort()).toEqual(['USD', 'USDB', 'USDC']);
  } finally {
    await server.close();
  }
});

test('the built page has no token in it', async () => {
  await build({ logLevel: 'error' });
  const files = await readdir('dist', { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
  );
  expect(texts.join('\n')).toContain('/transfer-out');
  expect(texts.filter((text) => text.includes(made.data?.clientSecret ?? secret))).toEqual([]);
  expect(texts.filter((text) => text.includes('SERVICE_CLIENT_SECRET'))).toEqual([]);
});
