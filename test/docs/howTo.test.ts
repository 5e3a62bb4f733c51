/** Promise: the snippets of the how-to pages, pasted unchanged, do what the text beside them says. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { isFree, kill } from '../support/process/endings.ts';
import { startSandbox } from '../support/process/process.ts';
import { readGuide, runShell, runTypeScript } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const page = (name: string) => readGuide(`docs/how-to/${name}.md`);

// For snippets that don't change the sandbox.
let address: string;
let end = (): void => {};
beforeAll(async () => {
  const { port } = await startSandbox(['--data', ':memory:'], (kill) => (end = kill));
  address = `localhost:${port}`;
});
afterAll(() => end());

it('steers the clock, resets and asks for health', async () => {
  const { snippets } = page('clock');
  const output = await runShell(snippets('clock').replaceAll('curl ', 'curl -sS '));
  expect(output).toMatch(/"frozen":false[\s\S]*"frozen":false[\s\S]*"status":"ready"/);
});

it.each(byLength([], ['checks a recording and finds its two mistakes']))('%s', async () => {
  const output = await runShell(page('check-recordings').snippets('check'));
  expect(output).toMatch(/entry 2 .*createCredential[^\n]*\n {2}response\.body \/email is not a field of this closed/);
  expect(output).toMatch(/entry 4 .*getCustomer[^\n]*\n {2}response\.body \/createdAt must be an RFC 3339/);
  expect(output).toMatch(
    /6 entries, 5 judged: 1 finding, and 1 assumed\. Passed over: 1 of other addresses\.[^\n]*\nexit code 1\n$/,
  );
});

it('lists wallets through the generated client', async () => {
  const output = await runTypeScript(page('typescript-client').snippets('client'), address);
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
    expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
  ]);
});

it('gives each team a platform, where a token guards them and where none does', async () => {
  const output = await runShell(`CONTROL_TOKEN=any\n${page('deploy').snippets('teams')}`, address);
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
  const [start = '', stop = ''] = page('platform-per-test')
    .snippets('background')
    .split(/\n(?=kill )/);
  const started = await runShell(`export PORT=0 TMPDIR=${temporaryFolder()}\n${start}`);
  const told = /ready at http:\/\/([^/]+)\/[\s\S]*\n {2}log [\s\S]*\n {2}stop +kill (\d+)\n$/;
  expect(started).toMatch(told);
  const [, its = '', pid] = told.exec(started) ?? [];
  onTestFinished(() => kill(Number(pid), 'SIGKILL'));
  expect(await runShell(page('platform-per-test').snippets('pipeline'), its)).toMatch(
    /"totalCount":2[\s\S]*1 entry, 1 judged: 0 findings/,
  );
  await runShell(`SANDBOX='${started.trim()}'\n${stop}`);
  await expect.poll(() => isFree(Number(its.split(':')[1])), { timeout: 30_000 }).toBe(true);
});

it('returns a documented refusal, and plants a fault that acts once', async () => {
  const { snippets } = page('faults');
  expect(JSON.parse(await runShell(snippets('prefer'), address))).toMatchObject({ status: 401 });
  const output = await runShell(snippets('fault').replaceAll('\ncurl', '\necho; curl'), address);
  const [planted, refused, answered] = output.split('\n').map((line) => JSON.parse(line));
  expect(planted).toEqual({ rules: [{ operation: 'listCustomers', status: 503, times: 1 }] });
  expect(refused).toMatchObject({ status: 503 });
  expect(answered).toMatchObject({ totalCount: 2 });
});
