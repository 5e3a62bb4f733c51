/** A copy of the project in which faults are planted, and the process that runs its tests. */
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
import type { Question, Verdict } from './runner.ts';

const copied = ['client', 'conformance', 'generated', 'mocks', 'openapi', 'package', 'scripts', 'test', 'package.json'];

export interface Workshop {
  /** Writes `text` into the file, runs the tests, and puts `original` back. Five minutes are a failure as well. */
  tryOut(change: Change, original: string, tests: readonly string[]): Promise<Verdict>;
  close(): void;
}

interface Change {
  readonly file: string;
  readonly text: string;
}

const limitMs = 5 * 60_000;

/** Copies the project as it stands; nothing is ever written into the project itself. */
export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mutation-'));
  for (const name of copied) cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  let runner: ChildProcess | undefined;

  const end = (): void => {
    // With its workers: one that runs for ever hears nothing.
    if (runner?.pid !== undefined) process.kill(-runner.pid, 'SIGKILL');
    runner = undefined;
  };
  const ask = (question: Question): Promise<Verdict> =>
    new Promise((resolve, reject) => {
      runner ??= fork(join(folder, 'test/mutation/runner.ts'), { cwd: folder, detached: true });
      const process = runner;
      const limit = setTimeout(() => {
        end();
        resolve({ failed: 'the limit of time' });
      }, limitMs);
      process.once('message', (verdict) => {
        clearTimeout(limit);
        process.removeAllListeners('exit');
        resolve(verdict as Verdict);
      });
      process.once('exit', (code) => {
        clearTimeout(limit);
        if (runner === process) reject(new Error(`The test runner ended by itself, with ${code}.`));
      });
      process.send(question);
    });

  return {
    async tryOut({ file, text }, original, tests) {
      const place = join(folder, file);
      writeFileSync(place, text);
      const verdict = await ask({ changed: file, tests });
      writeFileSync(place, original);
      return verdict;
    },
    close() {
      end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
