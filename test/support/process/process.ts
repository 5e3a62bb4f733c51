/** Runs the sandbox like a user: as a process on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const root = new URL('../../../', import.meta.url).pathname;

export interface StartedProcess {
  readonly child: ChildProcess;
  /** All output so far, of both streams. */
  output(): string;
  /** Resolves with the matching text. Rejects if the process ends first. */
  waitFor(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Its exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
}

/**
 * Runs a script of the project with this Node. It is killed when the test ends, if it still runs.
 * @param script its path, and words before the arguments: `cli/countersign.mjs start`.
 * @param atEnd registers the cleanup, for a process that several tests use.
 * @param folder where it runs, and where its path starts; by default the project.
 */
export function run(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  atEnd: (kill: () => void) => void = onTestFinished,
  folder: string = root,
): StartedProcess {
  const [file = '', ...first] = script.split(' ');
  const child = spawn(process.execPath, [resolve(folder, file), ...first, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  const exit = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  atEnd(() => void child.kill('SIGKILL'));
  return {
    child,
    exit,
    output: () => text,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match === null) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        void exit.then((code) => reject(new Error(`It ended with ${code} before it printed ${pattern}:\n${text}`)));
        look();
      }),
  };
}

export interface StartedSandbox extends StartedProcess {
  /** The base address in its output, with the version. */
  readonly base: string;
  readonly port: number;
}

/** Starts the sandbox and waits until it reports that it is ready. */
export async function startSandbox(
  args: readonly string[],
  atEnd?: (kill: () => void) => void,
): Promise<StartedSandbox> {
  const started = run('cli/countersign.mjs', ['start', '--port', '0', ...args], process.env, atEnd);
  const [, base = ''] = await started.waitFor(/ready at (http:\S+)\n/);
  return { ...started, base, port: Number(new URL(base).port) };
}
