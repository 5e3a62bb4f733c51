/**
 * Promise: `countersign codes` prints the one-time codes of real proofs with their recipients, because no log shows
 * them. With `--follow` it prints them as they are sent, until Ctrl-C or until the sandbox ends, and says which.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Lifecycle } from '../../cli/command/command.ts';
import { runCountersign } from '../../cli/main.ts';
import { createSandbox, type Sandbox } from '../../package/sandbox.ts';
import { keepOutput, runInProcess } from '../support/process/inProcess.ts';
import { data } from '../support/sandbox/harness.ts';

const people = ['ada@example.com', 'grace@example.com'];
const world = {
  customers: people.map((email) => ({
    customer: { customerType: 'INDIVIDUAL' as const, email, currencies: ['USDB'] },
  })),
};

/** A sandbox on a port, with real proofs, and its address. */
async function open(): Promise<{ sandbox: Sandbox; url: string }> {
  const sandbox = await createSandbox({ proofs: 'real', seed: 1, world });
  onTestFinished(() => sandbox.close());
  return { sandbox, url: await sandbox.listen() };
}

/** Sends a code to an e-mail address. @returns the message */
async function send({ client, control }: Sandbox, email: string) {
  const customers = data(await client().GET('/customers')).data;
  const customerId = customers.find((customer) => customer.email === email)?.id;
  const query = { type: 'EMBEDDED_WALLET' as const, customerId };
  const [wallet] = data(await client().GET('/customers/internal-accounts', { params: { query } })).data;
  data(await client().POST('/auth/credentials', { body: { type: 'EMAIL_OTP', accountId: wallet?.id ?? '' } }));
  return (await control.outbox.get()).data.find(({ to }) => to === email)!;
}

const lineOf = ({ sentAt, code, to, accountId }: Awaited<ReturnType<typeof send>>) =>
  `${sentAt}  ${code}  ${to}  ${accountId}\n`;

describe('without --follow', () => {
  test('prints what was sent, oldest first, as text or as JSON, to one address or all', async () => {
    const { sandbox, url } = await open();
    const none = await runInProcess(['codes', '--url', url]);
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No code was sent yet. --follow waits for one.\n' });
    const sent = [await send(sandbox, 'grace@example.com'), await send(sandbox, 'ada@example.com')];
    const run = async (...args: string[]) => (await runInProcess(['codes', '--url', url, ...args])).stdout;
    expect(await run()).toBe(sent.map(lineOf).join(''));
    expect(await run('--to', 'Ada@example.com')).toBe(sent.slice(1).map(lineOf).join(''));
    expect(
      (await run('--format', 'json'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(sent);
  });

  test('of a platform by its credentials, magic proofs included', async () => {
    const { sandbox, url } = await open();
    const { credentials } = await sandbox.platform();
    const token = `${credentials.clientId}:${credentials.clientSecret}`;
    const magic = {
      code: 0,
      stdout: '',
      stderr: 'This platform checks magic proofs, which send no codes: it is always 000000.\n',
    };
    expect(await runInProcess(['codes', '--url', url, '--credentials', token])).toEqual(magic);
    const env = { COUNTERSIGN_CREDENTIALS: token };
    expect(await runInProcess(['codes', '--url', url], { env })).toEqual(magic);
  });

  test.each([
    [
      ['--url', 'http://localhost:1'],
      /^No sandbox answers at http:\/\/localhost:1\. Start one \(npx countersign start\)/,
    ],
    [['--url', 'localhost:4010'], /^--url takes the address of a sandbox/],
    [['--credentials', 'one'], /^--credentials takes clientId:clientSecret/],
  ])('%j ends with 2, and says what to do', async (args, says) => {
    expect(await runInProcess(['codes', ...args])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(says),
    });
  });

  test('credentials that are refused end with 2', async () => {
    const { url } = await open();
    const { code, stderr } = await runInProcess(['codes', '--follow', '--url', url, '--credentials', 'one:two']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/refuses these credentials\. Give a token .* MANAGE/)]);
  });
});

/** Generous, for a busy machine. */
const patience = { timeout: 30_000 };

describe('with --follow', () => {
  /** Starts it. `stop` is Ctrl-C. */
  function follow(url: string, ...args: string[]) {
    const { output, written } = keepOutput();
    let stop = (_why: string): void => {};
    const lifecycle: Lifecycle = { commandLine: [], takeOver: (how) => (stop = how), tellReady: () => {} };
    const code = runCountersign(['codes', '--follow', '--url', url, ...args], { output, env: {}, lifecycle });
    return { code, written, stop: () => stop('SIGINT') };
  }

  test('prints what was sent, then each code once when it is sent, until Ctrl-C', async () => {
    const { sandbox, url } = await open();
    const first = await send(sandbox, 'grace@example.com');
    const { code, written, stop } = follow(url);
    await expect.poll(() => written().stderr, patience).toBe(`Waiting for codes of ${url}. Ctrl-C ends it.\n`);
    expect(written().stdout).toBe(lineOf(first));
    const second = await send(sandbox, 'ada@example.com');
    await expect.poll(() => written().stdout, patience).toBe(lineOf(first) + lineOf(second));
    stop();
    expect(await code).toBe(0);
    expect(written().stderr).toBe(`Waiting for codes of ${url}. Ctrl-C ends it.\n`);
  });

  test('ends with a word when the sandbox ends, and when the platform does', async () => {
    const { sandbox, url } = await open();
    const platform = await sandbox.platform({ proofs: 'real' });
    const { clientId, clientSecret } = platform.credentials;
    const [whole, own] = [follow(url), follow(url, '--credentials', `${clientId}:${clientSecret}`)];
    for (const { written } of [whole, own]) await expect.poll(() => written().stderr, patience).toMatch(/^Waiting/);
    await platform.close();
    expect(await own.code).toBe(0);
    expect(own.written().stderr).toMatch(
      /\nThe platform has ended, or its token is gone: no more codes come from \S+\.\n$/,
    );
    await sandbox.close();
    expect(await whole.code).toBe(0);
    expect(whole.written().stderr).toMatch(/\nThe sandbox at \S+ has ended: no more codes come from it\.\n$/);
  });
});
