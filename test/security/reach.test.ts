/**
 * Promise: the sandbox's own requests go to addresses in a platform's settings. They are limited, and can't be used to
 * reach the sandbox's network if other machines can reach the sandbox.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeySetFetch, isPublic } from '../../mocks/sandbox/node/keySets.ts';
import { openKeyServer } from '../support/proofs/issuer.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openWallet } from '../support/scenes/builders.ts';

const unsigned = (iss: string): string =>
  [{ alg: 'ES256', kid: 'a' }, { iss, sub: 'a' }, 'c']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

describe('when other machines can connect', () => {
  test.each([['127.0.0.1'], ['localhost'], ['[::1]'], ['[::ffff:127.0.0.1]'], ['2130706433'], ['0x7f.1'], ['0.0.0.0']])(
    'a key set at %s is not fetched, and the answer tells nothing of what is there',
    async (host) => {
      const server = await openKeyServer();
      const sandbox = await openSandbox({ controlToken: 'token', proofs: 'real' });
      const { accountId } = await openWallet(sandbox);
      const jwksUri = server.uri.replace('127.0.0.1', host);
      const settings = { issuers: [{ issuer: 'https://a.example', jwksUri }] };
      expect((await sandbox.control('PUT', '/settings', { body: settings })).status).toBe(200);
      const body = { type: 'OAUTH', accountId, oidcToken: unsigned('https://a.example') };
      const answer = await sandbox.send('POST', '/auth/credentials', { body });
      expect([answer.status, server.fetches()]).toEqual([401, 0]);
      expect(answer.body.details.hint).toContain('The address of the key set is not a public one');
    },
  );

  test.each([
    ...['10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '127.8.8.8', '0.0.0.0', '224.0.0.1'],
    ...['255.255.255.255', '198.18.0.1', '::', '::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1'],
    ...['::ffff:10.0.0.1', '::ffff:7f00:1', '64:ff9b::a00:1', '2002:7f00:1::'],
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111'])('%s is', (address) => {
    expect(isPublic(address)).toBe(true);
  });
});

describe('a key set', () => {
  /** Starts a server, and sends it one request through the sandbox's fetch. */
  async function ask(size: number, signal = AbortSignal.timeout(5000), isSlow = false): Promise<string> {
    const server = createServer((_request, response) => {
      response.write('a'.repeat(size));
      if (!isSlow) response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    return (await createKeySetFetch('any')(`http://127.0.0.1:${port}/`, { signal })).text();
  }

  test('of half a mebibyte is read, a byte more is not', async () => {
    expect(await ask(512 * 1024)).toHaveLength(512 * 1024);
    await expect(ask(512 * 1024 + 1)).rejects.toThrow('The key set has more than 524288 bytes');
  });

  test('that never ends is given up', async () => {
    await expect(ask(10, AbortSignal.timeout(50), true)).rejects.toThrow(/abort/i);
  });
});
