/** Promise: a reader who pastes the README's snippets, in order, gets what the text beside them says. */
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
