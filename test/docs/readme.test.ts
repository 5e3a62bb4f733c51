/** Promise: whoever pastes the README's snippets, in order, gets what the text beside them says. */
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { readGuide, runShell, runTypeScript } from '../support/snippets.ts';

const readme = readGuide('README.md');

describe('case 116: the README', () => {
  it('names the two commands that a newcomer needs, and its first curl answers', async () => {
    expect(readme.text).toContain('npm ci && npm start\n');
    expect(readme.text).toContain('npm ci && npm test\n');
    const [curl] = /^curl -u sandbox:sandbox \S+$/m.exec(readme.text) ?? [''];
    expect(JSON.parse(await runShell(`${curl} -sS`))).toMatchObject({ totalCount: 2, hasMore: false });
  });

  it('walks a wallet from its e-mail sign-in to the last credential that stays', async () => {
    const lines = (await runShell(readme.snippets('walk'))).trim().split('\n');
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
  });

  it('sends money abroad from the wallet, at once and to an account that takes six minutes', async () => {
    const output = await runShell(`${readme.snippets('walk')}\necho sending\n${readme.snippets('send')}`);
    const [, sent = ''] = output.split('sending\n');
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

  it('lets an agent pay: at once, after approval, rejected, and not while it is paused', async () => {
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
  });

  it('steers the clock, resets and asks for health', async () => {
    const output = await runShell(readme.snippets('clock').replaceAll('curl ', 'curl -sS '));
    expect(output).toMatch(/"frozen":false[\s\S]*"frozen":false[\s\S]*"status":"ready"/);
  });

  it('checks a recording and finds its two mistakes', async () => {
    const output = await runShell(readme.snippets('check'));
    expect(output).toMatch(
      /entry 2 .*createCredential[^\n]*\n {2}response\.body \/email is not a field of this closed/,
    );
    expect(output).toMatch(/entry 4 .*getCustomer[^\n]*\n {2}response\.body \/createdAt must be an RFC 3339/);
    expect(output).toMatch(
      /6 entries, 5 judged: 2 findings\. Passed over: 1 of other addresses\.[^\n]*\nexit code 1\n$/,
    );
  });

  it('lists wallets through the generated client', async () => {
    const output = await runTypeScript(readme.snippets('client'));
    expect(output.trim().split('\n')).toEqual([
      expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
      expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
    ]);
  });

  it('gives each team a platform, where a token guards them and where none does', async () => {
    const output = await runShell(`CONTROL_TOKEN=any\n${readme.snippets('teams')}`);
    expect(JSON.parse(output)).toMatchObject({ platformId: expect.stringMatching(/./), proofs: 'magic' });
  });

  it('starts one in the background for a pipeline, and stops it', async () => {
    const [start = '', stop = ''] = readme.snippets('background').split(/\n(?=kill )/);
    const alive = 'curl -sS "$(echo "$SANDBOX" | grep -o "http://[^/]*" | head -1)/__sandbox/health"';
    const gone = `while ${alive} 2> /dev/null; do :; done`;
    const lines = ['export PORT=0', `export TMPDIR=${temporaryFolder()}`, start, alive, stop, gone];
    const output = await runShell(lines.join('\n'));
    expect(output).toMatch(/ready at http:[\s\S]*\n {2}log [\s\S]*\n {2}stop .*\n\{"status":"ready"\}/);
  });

  it('gives a pipeline a platform and finds its traffic true to the contract', async () => {
    const output = await runShell(readme.snippets('pipeline'));
    expect(output).toMatch(/"totalCount":2[\s\S]*1 entries, 1 judged: 0 findings/);
  });
});
