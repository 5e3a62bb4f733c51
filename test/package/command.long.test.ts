/** Promise: in a clone, `npx countersign` runs the command that package.json names now, whatever npx has cached. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/sandbox/folder.ts';

describe('the command in a clone', () => {
  it('is found after a release moved its file, though npx remembers where it was', () => {
    const folder = temporaryFolder();
    const clone = join(folder, 'clone');
    mkdirSync(join(clone, 'node_modules'), { recursive: true });
    cpSync('scripts/link', join(clone, 'scripts/link'), { recursive: true });
    const release = (file: string) => {
      writeFileSync(join(clone, file), `#!/usr/bin/env node\nconsole.log('${file}');\n`, { mode: 0o755 });
      writeFileSync(
        join(clone, 'package.json'),
        JSON.stringify({ name: 'said', version: '1.0.0', bin: { said: file } }),
      );
    };
    const run = (...command: [string, ...string[]]) =>
      execFileSync(command[0], command.slice(1), {
        cwd: clone,
        encoding: 'utf8',
        env: { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' },
      }).trim();

    release('before.mjs');
    expect(run('npx', 'said')).toBe('before.mjs');
    rmSync(join(clone, 'before.mjs'));
    release('now.mjs');
    expect(() => run('npx', 'said'), 'npx has mended this itself: scripts/link can go').toThrow('not found');
    run('node', 'scripts/link/main.mjs');
    expect(run('npx', 'said')).toBe('now.mjs');
  });
});
