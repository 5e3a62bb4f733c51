/** Promise: `countersign check` tells whether recorded traffic keeps the contract, quickly, and with its exit code. */
import { gzipSync } from 'node:zlib';
import type { Entry } from 'har-format';
import { describe, expect, it, test } from 'vitest';
import { run } from '../support/process/process.ts';
import {
  check,
  recordTraffic,
  runCountersign,
  toEntry,
  toHar,
  writeRecording,
} from '../support/requests/recordings.ts';
import { byLength } from '../support/run/length.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

const list = { data: [], hasMore: false, totalCount: 0 };
const listed = toEntry({ url: '/customers', status: 200, responseBody: list });
const broken = toEntry({ url: '/customers?limit=0', status: 200, responseBody: { ...list, totalCount: '0' } });
const publicKey = `04${'6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5'}`;

/** A working day of a backend, including its mistakes. */
async function recordDay(): Promise<Entry[]> {
  const recorder = recordTraffic(await openSandbox());
  const { send } = recorder;
  await send('GET', '/config');
  const customer = await send('POST', '/customers', {
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Byron',
    email: 'ada@example.com',
  });
  await send('PATCH', `/customers/${customer.id}`, { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
  const wallets = await send('GET', `/customers/internal-accounts?customerId=${customer.id}&type=EMBEDDED_WALLET`);
  const accountId = wallets.data[0].id;
  const email = await send('POST', '/auth/credentials', { type: 'EMAIL_OTP', accountId });
  await send('POST', `/auth/credentials/${email.id}/challenge`);
  await send('POST', `/auth/credentials/${email.id}/verify`, {
    type: 'EMAIL_OTP',
    otp: '999999',
    clientPublicKey: publicKey,
  });
  await send('POST', `/auth/credentials/${email.id}/verify`, {
    type: 'EMAIL_OTP',
    otp: '000000',
    clientPublicKey: publicKey,
  });
  const sessions = await send('GET', `/auth/sessions?accountId=${accountId}`);
  const pending = await send('DELETE', `/auth/sessions/${sessions.data[0].id}`);
  const signed = { 'request-id': pending.requestId, 'service-wallet-signature': 'sandbox-valid-signature' };
  await send('DELETE', `/auth/sessions/${sessions.data[0].id}`, undefined, signed);
  for (let time = 0; time < 6; time += 1) await send('POST', `/auth/credentials/${email.id}/challenge`);
  const token = await send('POST', '/tokens', { name: 'ci', permissions: ['VIEW'] });
  await send('POST', '/tokens', { name: 'no' }, { authorization: basic(token.clientId, token.clientSecret) });
  await send('GET', '/tokens', undefined, { authorization: 'Basic bm86bm8=' });
  await send('DELETE', `/tokens/${token.id}`);
  await send('GET', '/customers', undefined, { prefer: 'code=403' });
  await send('GET', '/customers?page=2');
  await send('POST', '/customers', { customerType: 'ROBOT' });
  await send('POST', '/customers', 'customerType=INDIVIDUAL', { 'content-type': 'application/x-www-form-urlencoded' });
  await send('GET', '/nothing');
  await send('PUT', '/customers');
  await send('GET', '/agents/me');
  return recorder.entries;
}

test('an invalid key, answered by a session, is found: the service let it pass', async () => {
  const id = '0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01';
  const session = {
    id: `Session:${id}`,
    accountId: `InternalAccount:${id}`,
    type: 'EMAIL_OTP',
    nickname: 'amara.okafor@example.com',
    createdAt: '2025-10-13T09:02:00.000Z',
    updatedAt: '2025-10-13T09:02:00.000Z',
    expiresAt: '2025-10-13T09:17:00.000Z',
    encryptedSessionSigningKey:
      't8Qosqb6U5sd6x9nmabaAdsjwY6Fjwwd1pvcktBSSR3Rs1nBEr7ck7TeiicqcHgjuGVnjJKE2ULKVGRP8iLr2fPA6ZHwFjGjcscESpT35pLN4is86xK',
  };
  const entry = (clientPublicKey: string) =>
    toEntry({
      method: 'POST',
      url: `/auth/credentials/AuthMethod:${id}/verify`,
      requestBody: { type: 'EMAIL_OTP', otp: '000000', clientPublicKey },
      status: 200,
      responseBody: session,
    });
  expect((await check(writeRecording(toHar([entry(publicKey)])))).code).toBe(0);
  const { code, stdout } = await check(writeRecording(toHar([entry('zz')])));
  expect([code, stdout]).toEqual([1, expect.stringContaining('clientPublicKey')]);
});

describe('a recording of the sandbox', () => {
  it('has no findings; its refused mistakes are counted', async () => {
    const file = writeRecording(toHar(await recordDay()));
    const { code, stdout, stderr } = await runCountersign(['check', file]);
    expect(stdout).toMatch(/^28 entries, 28 judged: 0 findings\. Of those judged: 6 invalid and refused/);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('case 118: is judged the same when its bodies are base64, and compressed', async () => {
    const packed = (await recordDay()).map((entry) => {
      const { content, headers } = entry.response;
      if (content.text === undefined) return entry;
      const text = gzipSync(content.text).toString('base64');
      const coding = { name: 'Content-Encoding', value: 'gzip' };
      const response = {
        ...entry.response,
        headers: [...headers, coding],
        content: { ...content, text, encoding: 'base64' },
      };
      return { ...entry, response };
    });
    const planted = Buffer.from(JSON.stringify({ ...list, totalCount: '0' })).toString('base64');
    const wrong = {
      ...listed,
      response: {
        ...listed.response,
        content: { size: 1, mimeType: 'application/json', text: planted, encoding: 'base64' },
      },
    };
    const { code, stdout } = await check(writeRecording(toHar([...packed, wrong])));
    expect(stdout).toMatch(
      /entry 28 .*listCustomers[^\n]*\n {2}response\.body \/totalCount must be integer: "0" {2}\(schema\/type; [^\n]*\)\n29 entries, 29 judged: 1 finding\b/,
    );
    expect(code).toBe(1);
  });
});

describe('what is judged', () => {
  it('passes over and counts what is none of the service', async () => {
    const entries = [
      listed,
      toEntry({ url: 'https://fonts.example.com/a.woff2', status: 200 }),
      toEntry({ url: 'http://localhost:4010/__sandbox/clock', status: 200, responseBody: {} }),
      toEntry({ url: '/customers', method: 'OPTIONS', status: 204 }),
      toEntry({ url: '/customers', status: 0 }),
    ];
    const { code, stdout } = await check(writeRecording(toHar(entries)));
    expect(stdout).toBe(
      '5 entries, 1 judged: 0 findings. Passed over: 1 of other addresses, 1 of the control surface, 1 OPTIONS, 1 without a reply.\n',
    );
    expect(code).toBe(0);
  });

  it('--base names the service, and an unknown path there is a finding', async () => {
    const at = (url: string) => toEntry({ url, status: 200, responseBody: list });
    const entries = [
      'https://api.example.com/v2/customers',
      'https://api.example.com/v2/custmers',
      'https://a.example/x',
    ].map(at);
    const args = ['--base', 'https://api.example.com/v2', '--base', 'http://localhost:9'];
    const { code, stdout } = await check(...args, writeRecording(toHar(entries)));
    expect(stdout).toMatch(
      /entry 1 .*no operation, GET \/custmers, answered 200\n.*\(undocumented-path; [^\n]*\)\n3 entries, 2 judged: 1 finding\. Passed over: 1 of other/,
    );
    expect(code).toBe(1);
  });

  it('a body that was not recorded is counted, and with --require-bodies a finding', async () => {
    const bare = { ...listed, response: { ...listed.response, content: { size: 40, mimeType: 'application/json' } } };
    const file = writeRecording(toHar([bare]));
    expect(await check(file)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/1 body was not recorded\.\n$/),
    });
    const strict = await check('--require-bodies', file);
    expect([strict.code, strict.stdout]).toEqual([
      1,
      expect.stringMatching(/response\.body is not in the recording {2}\(unrecorded-body; given\)/),
    ]);
  });

  it('shows no secret, in none of the formats', async () => {
    const requestBody = { type: 'EMAIL_OTP', otp: 73519, oidcToken: 'Top-Secret-1', clientPublicKey: publicKey };
    const responseBody = { clientSecret: 5, accessToken: 'Top-Secret-2', status: 400, code: 'x', message: {} };
    const url = '/auth/credentials/AuthMethod:1/verify?api_key=Top-Secret-3';
    const entry = toEntry({
      url,
      requestBody,
      status: 200,
      responseBody,
      requestHeaders: { authorization: 'Basic VG9wLVNlY3JldA==' },
    });
    const file = writeRecording(
      toHar([entry, toEntry({ url: '/agents/device-codes/AGENT-S3CR-3T99/redem', status: 200 })]),
    );
    for (const format of ['text', 'json', 'sarif', 'junit', 'github']) {
      const { code, stdout } = await check('--format', format, file);
      expect(code).toBe(1);
      expect(stdout).toContain('/api_key');
      expect(stdout).toContain('/oidcToken');
      expect(stdout).not.toMatch(/Top-Secret|73519|VG9w|S3CR/);
    }
  });
});

describe('start', () => {
  it('case 119: starts the sandbox, which stops as it should', async () => {
    const started = run('cli/countersign.mjs', ['start', '--port', '0', '--data', ':memory:']);
    const [, base = ''] = await started.waitFor(/ready at (http:\S+)\n/);
    const headers = { authorization: basic('sandbox', 'sandbox') };
    expect((await fetch(`${base}/customers`, { headers })).status).toBe(200);
    started.child.kill('SIGTERM');
    expect(await started.exit).toBe(0);
  });
});

describe('exit codes', () => {
  it('2 when a file could not be read, whatever the others have', async () => {
    const cut = writeRecording(toHar([listed, broken]).slice(0, -3), 'cut.har');
    const { code, stdout } = await check(cut, '/nowhere.har', writeRecording(toHar([listed])));
    expect(stdout).toMatch(/cut\.har ends in the middle, after 2 whole entries\. Export/);
    expect(stdout).toMatch(/\/nowhere\.har does not exist\. Check the path\.\n3 entries, 3 judged: 2 findings\./);
    expect(code).toBe(2);
  });

  it('2 when nothing could be read, with no count that reads as a success', async () => {
    const { code, stdout } = await check('/nowhere.har');
    expect([code, stdout]).toEqual([2, '/nowhere.har does not exist. Check the path.\nNothing was judged.\n']);
  });

  it("2 when nothing in a file is of the service: that isn't a clean bill", async () => {
    const file = writeRecording(toHar([toEntry({ url: 'https://api.example.com/customers', status: 200 })]));
    const { code, stdout } = await check(file);
    expect(stdout).toMatch(/has 1 entry, but none of the service\. Name the service's base address with --base URL/);
    expect(stdout).toMatch(/\n1 entry, none judged\. Passed over: 1 of other addresses\.\n$/);
    expect(code).toBe(2);
  });

  const wrong: [args: string[], message: RegExp][] = [
    [['check'], /^Name at least one HAR file\. npx countersign check --help/],
    [['check', '--format', 'xml', 'x.har'], /--format takes text, json, sarif, junit or github, not "xml"/],
    [['chekc'], /^Unknown command 'chekc'\. Did you mean check\?\n/],
    [['check', '--nonsense', 'x.har'], /Unknown option '--nonsense'/],
    [['check', '--base', 'api.example.com', 'x.har'], /--base takes an address such as https:/],
    [[], /Usage: countersign <command>/],
  ];
  it.each(byLength(wrong.slice(0, 3), wrong))('2 for %j', async (args, message) => {
    const { code, stderr, stdout } = await runCountersign(args);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  const help: [args: string[], message: RegExp][] = [
    [['--help'], /check +check recorded traffic[\s\S]*start/],
    [['check', '--help'], /Exit codes: 0 fine, 1 findings/],
    [['start', '--help'], /--port <N>/],
  ];
  it.each(byLength(help.slice(0, 1), help))('0 for %j', async (args, message) => {
    const { code, stdout } = await runCountersign(args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(message)]);
  });
});
