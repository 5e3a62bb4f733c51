/** Installs packages that only one long run needs into that test's folder, from the lockfile there. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of the folder's lockfile, unless they are there already. Runs no package's scripts.
 *
 * @param progress is called before anything is downloaded
 * @throws Error with npm's message if it fails.
 */
export async function install(folder: string, progress: () => void): Promise<void> {
  const mark = join(folder, 'node_modules/.countersign');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  progress();
  const { code, output } = await runProcess(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
    { cwd: folder },
  );
  if (code !== 0) throw new Error(`npm ci in ${folder} ended with ${code}:\n${output.trim()}`);
  writeFileSync(mark, wanted);
}

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/**
 * Runs a program to its end, for at most `seconds`, and collects its output. Variables that are undefined in `env`
 * aren't passed on.
 */
export function runProcess(
  program: string,
  args: readonly string[],
  {
    cwd,
    env = {},
    seconds = 900,
  }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly seconds?: number },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', REDOCLY_TELEMETRY: 'off', DO_NOT_TRACK: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: seconds * 1000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal}, after at most ${seconds} s`;
      resolve({ code: code ?? 1, output });
    });
  });
}
