/** A copy of the project for planting faults, and the process that runs its tests. */
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
import type { Question, Verdict } from './runner.ts';

const copied = [
  'client',
  'cli',
  'conformance',
  'contract',
  'generated',
  'mocks',
  'openapi',
  'package',
  'scripts',
  'test',
  'mcp',
  'traffic',
  'package.json',
  // The one in package/ extends it.
  'tsconfig.json',
];

/** Replacement texts for files, by path. */
export type Texts = ReadonlyMap<string, string>;

export interface Workshop {
  /**
   * Writes the texts, runs the tests and restores the files. `switched` are the faults behind switches in the texts.
   * The log is testRunner.ts's output, a word and a number per line. If there is no verdict, the run hung.
   */
  run(
    texts: Texts,
    tests: readonly string[],
    switched?: readonly number[],
  ): Promise<{ verdict?: Verdict; log: string[] }>;
  /** Makes the next tests run in a new process. */
  restart(): void;
  close(): void;
}

/** The longest time without any progress. */
const limitMs = 5 * 60_000;

/** Copies the current project. Nothing is ever written into the project itself. */
export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mutation-'));
  for (const name of copied) cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  let runner: ChildProcess | undefined;

  const end = (): void => {
    // Kills its workers too, because a worker in an endless loop reads no messages.
    if (runner?.pid !== undefined) process.kill(-runner.pid, 'SIGKILL');
    runner = undefined;
  };
  const ask = (question: Question): Promise<Verdict | undefined> =>
    new Promise((resolve, reject) => {
      runner ??= fork(join(folder, 'test/mutation/runner.ts'), { cwd: folder, detached: true });
      const asked = runner;
      let [length, since] = [0, Date.now()];
      const watch = setInterval(() => {
        const now = read('faults.log').length;
        if (now !== length) [length, since] = [now, Date.now()];
        if (Date.now() - since > limitMs) end();
      }, 1000);
      const settle = (): void => {
        clearInterval(watch);
        asked.removeAllListeners();
      };
      asked.once('message', (verdict) => {
        settle();
        resolve(verdict as Verdict);
      });
      asked.once('exit', (code) => {
        settle();
        if (runner === undefined) resolve(undefined);
        else reject(new Error(`The test runner ended by itself, with ${code}.`));
      });
      asked.send(question);
    });

  return {
    async run(texts, tests, switched = []) {
      const originals = [...texts.keys()].map((file) => [file, read(file)] as const);
      for (const [file, text] of texts) write(file, text);
      write('faults.json', JSON.stringify(switched));
      write('faults.log', '');
      const verdict = await ask({ changed: [...texts.keys()], tests });
      for (const [file, text] of originals) write(file, text);
      return { ...(verdict === undefined ? {} : { verdict }), log: read('faults.log').split('\n') };
    },
    restart: end,
    close() {
      end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
