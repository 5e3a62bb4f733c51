/** Promise: whoever pastes the README's snippets, in order, gets what the text beside them says. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startSandbox, temporaryFolder } from '../support/process.ts';

const root = new URL('../../', import.meta.url).pathname;
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const execute = promisify(execFile);

/** The code of every snippet with that mark, in order. */
function snippets(mark: string): string {
  const blocks = [...readme.matchAll(/<!-- snippet: (\w+) -->\n```\w+\n([\s\S]*?)```/g)];
  return blocks
    .filter(([, name]) => name === mark)
    .map(([, , code]) => code)
    .join('\n');
}

/** Runs shell lines against a sandbox of its own instead of the one on the usual port. */
async function runShell(code: string): Promise<string> {
  const sandbox = await startSandbox(['--data', ':memory:']);
  const moved = code.replaceAll('http://localhost:4010', `http://localhost:${sandbox.port}`);
  const { stdout } = await execute('bash', ['-euo', 'pipefail', '-c', moved], { cwd: root });
  return stdout;
}

describe('case 116: the README', () => {
  it('names the two commands that a newcomer needs, and its first curl answers', async () => {
    expect(readme).toContain('npm ci && npm start\n');
    expect(readme).toContain('npm ci && npm test\n');
    const [curl] = /^curl -u sandbox:sandbox \S+$/m.exec(readme) ?? [''];
    expect(JSON.parse(await runShell(`${curl} -sS`))).toMatchObject({ totalCount: 2, hasMore: false });
  });

  it('walks a wallet from its e-mail sign-in to the last credential that stays', async () => {
    const lines = (await runShell(snippets('walk'))).trim().split('\n');
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

  it('steers the clock, resets and asks for health', async () => {
    const output = await runShell(snippets('clock').replaceAll('curl ', 'curl -sS '));
    expect(output).toMatch(/"frozen":false[\s\S]*"frozen":false[\s\S]*"status":"ready"/);
  });

  it('lists wallets through the generated client', async () => {
    const sandbox = await startSandbox(['--data', ':memory:']);
    const file = join(temporaryFolder(), 'snippet.ts');
    const code = snippets('client').replaceAll('4010', String(sandbox.port)).replaceAll("'./", `'${root}`);
    writeFileSync(file, code);
    const { stdout } = await execute(process.execPath, [file]);
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
      expect.stringMatching(/^InternalAccount:\S+ 250000000 USDB$/),
    ]);
  });
});
