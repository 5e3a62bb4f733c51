/** Promise: the snippets of the how-to pages, pasted unchanged, do what the text beside them says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const temporary = `export TMPDIR=${temporaryFolder()}`;
  const started = await runShell([temporary, start, 'echo "$SANDBOX"'].join('\n'));
  const { url, pid } = JSON.parse(started);
  onTestFinished(() => kill(pid, 'SIGKILL'));
  const again = `pick() { node -pe "JSON.parse(require('fs').readFileSync(0))$1"; }; SANDBOX='${started.trim()}'; ROOT=${url}`;
  expect(await runShell([temporary, again, page('platform-per-test').snippets('pipeline')].join('\n'))).toMatch(
    /"totalCount":2[\s\S]*1 entry, 1 judged: 0 findings/,
  );
  await runShell([again, stop].join('\n'));
  await expect.poll(() => isFree(Number(new URL(url).port)), { timeout: 30_000 }).toBe(true);
});

it.each(byLength([], ['gives a worker and a test of pytest a platform, and stops the sandbox']))('%s', async () => {
  const folder = temporaryFolder();
  const { snippets } = page('platform-per-test');
  writeFileSync(join(folder, 'conftest.py'), snippets('python'));
  writeFileSync(join(folder, 'test_customers.py'), snippets('pythontest'));
  const output = await runShell(`python3 -m pytest -p no:cacheprovider --rootdir ${folder} ${folder}`);
  expect(output).toMatch(/2 passed/);
});

it('returns a documented refusal, and plants a fault that acts once', async () => {
  const { snippets } = page('faults');
  expect(JSON.parse(await runShell(snippets('prefer'), address))).toMatchObject({ status: 401 });
  const output = await runShell(snippets('fault').replaceAll('\ncurl', '\necho; curl'), address);
  const [planted, refused, answered] = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(planted).toEqual({ rules: [{ operation: 'listCustomers', status: 503, times: 1 }] });
  expect(refused).toMatchObject({ status: 503 });
  expect(answered).toMatchObject({ totalCount: 2 });
});
