/** Promise: whoever pastes the README's snippets, in order, gets what the text beside them says. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isFree, kill } from '../support/process/endings.ts';
import { startSandbox } from '../support/process/process.ts';
import { readGuide, runShell, runTypeScript } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const readme = readGuide('README.md');

// For snippets that leave the sandbox as they found it.
let address: string;
let end = (): void => {};
beforeAll(async () => {
  const { port } = await startSandbox(['--data', ':memory:'], (kill) => (end = kill));
  address = `localhost:${port}`;
});
afterAll(() => end());

describe('case 116: the README', () => {
  it('names the two commands that a newcomer needs, and its first curl answers', async () => {
    expect(readme.text).toContain('npm ci && npm start\n');
    expect(readme.text).toContain('npm ci && npm test\n');
    const [curl] = /^curl -u sandbox:sandbox \S+$/m.exec(readme.text) ?? [''];
    expect(JSON.parse(await runShell(`${curl} -sS`, address))).toMatchObject({ totalCount: 2, hasMore: false });
  });

  it('walks a wallet from its e-mail sign-in to the last credential that stays, and sends money abroad from it', async () => {
    const output = await runShell(`${readme.snippets('walk')}\necho sending\n${readme.snippets('send')}`);
    const [walked = '', sent = ''] = output.split('sending\n');
    const lines = walked.trim().split('\n');
    const json = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    expect(lines[0]).toMatch(/^Customer:\S+ has the wallet InternalAccount:\S+$/);
    expect(json[0]).toMatchObject({
      type: 'EMAIL_OTP',
      encryptedSessionSigningKey: expect.stringMatching(/^\w{100,}$/),
    });
    expect(lines.join('\n')).toMatch(/registered AuthMethod:/);
    expect(json[1]).toMatchObject({ type: 'PASSKEY', nickname: 'Laptop', credentialId: 'cGFzc2tleS0x' });
    expect(lines.join('\n')).toMatch(/revoked with 204/);
    expect(json.at(-1)).toMatchObject({ status: 400, code: 'LAST_CREDENTIAL' });

    // At once, and to an account that takes six minutes.
    const [wallet, paid, slow, clock, arrived] = sent
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(wallet.balance).toMatchObject({ amount: 50_000_000, currency: { code: 'USDB' } });
    expect(paid).toMatchObject({
      status: 'COMPLETED',
      totalReceivingAmount: 20_000,
      receivingCurrency: { code: 'MXN' },
    });
    expect(slow.status).toBe('PROCESSING');
    expect(clock.frozen).toBe(false);
    expect([arrived.id, arrived.status]).toEqual([slow.id, 'COMPLETED']);
  });

  it.each(byLength([], ['lets an agent pay: at once, after approval, rejected, and not while it is paused']))(
    '%s',
    async () => {
      const output = await runShell(readme.snippets('agent'));
      const [small, approvals, approved, rejected, seen, paused, me, refused] = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(small).toMatchObject({ status: 'APPROVED', transaction: { status: 'COMPLETED' } });
      expect(approvals.data).toMatchObject([{ status: 'PENDING_APPROVAL', transferDetails: { amount: 25_000 } }]);
      expect(approved).toMatchObject({
        id: approvals.data[0].id,
        status: 'APPROVED',
        transaction: { status: 'COMPLETED' },
      });
      expect(rejected).toMatchObject({ status: 'REJECTED', rejectionReason: 'Not before the invoice was checked.' });
      expect(seen).toEqual(rejected);
      expect(paused.isPaused).toBe(true);
      expect(me.usage).toMatchObject({ dailyTransactionCount: 2, dailySpend: 27_500 });
      expect(refused).toMatchObject({ status: 403, code: 'AGENT_PAUSED' });
    },
  );

  it('steers the clock, resets and asks for health', async () => {
    const output = await runShell(readme.snippets('clock').replaceAll('curl ', 'curl -sS '));
    expect(output).toMatch(/"frozen":false[\s\S]*"frozen":false[\s\S]*"status":"ready"/);
  });

  it.each(byLength([], ['checks a recording and finds its two mistakes']))('%s', async () => {
    const output = await runShell(readme.snippets('check'));
    expect(output).toMatch(
      /entry 2 .*createCredential[^\n]*\n {2}response\.body \/email is not a field of this closed/,
    );
    expect(output).toMatch(/entry 4 .*getCustomer[^\n]*\n {2}response\.body \/createdAt must be an RFC 3339/);
    expect(output).toMatch(
      /6 entries, 5 judged: 1 finding, and 1 assumed\. Passed over: 1 of other addresses\.[^\n]*\nexit code 1\n$/,
    );
  });

  it('lists wallets through the generated client', async () => {
    const output = await runTypeScript(readme.snippets('client'), address);
    expect(output.trim().split('\n')).toEqual([
      expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
      expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
    ]);
  });

  it('gives each team a platform, where a token guards them and where none does', async () => {
    const output = await runShell(`CONTROL_TOKEN=any\n${readme.snippets('teams')}`, address);
    expect(JSON.parse(output)).toMatchObject({ platformId: expect.stringMatching(/./), proofs: 'magic' });
  });

  it.each(
    byLength(
      [],
      [
        'starts one in the background, gives a pipeline a platform of it, finds its traffic true to the contract, and stops it',
      ],
    ),
  )('%s', async () => {
    const [start = '', stop = ''] = readme.snippets('background').split(/\n(?=kill )/);
    const started = await runShell(`export PORT=0 TMPDIR=${temporaryFolder()}\n${start}`);
    const told = /ready at http:\/\/([^/]+)\/[\s\S]*\n {2}log [\s\S]*\n {2}stop +kill (\d+)\n$/;
    expect(started).toMatch(told);
    const [, its = '', pid] = told.exec(started) ?? [];
    onTestFinished(() => kill(Number(pid), 'SIGKILL'));
    expect(await runShell(readme.snippets('pipeline'), its)).toMatch(
      /"totalCount":2[\s\S]*1 entries, 1 judged: 0 findings/,
    );
    await runShell(`SANDBOX='${started.trim()}'\n${stop}`);
    await expect.poll(() => isFree(Number(its.split(':')[1])), { timeout: 30_000 }).toBe(true);
  });
});
