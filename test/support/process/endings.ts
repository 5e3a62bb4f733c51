/** Starts long-running commands like a user, and ends them in every possible way. Linux only: /proc, `script`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { DataFileRefused } from '../../../mocks/sandbox/node/sqlite/dataFile.ts';
import { openSqlite } from '../../../mocks/sandbox/node/sqlite/sqlite.ts';
import { projectRoot } from '../../../scripts/lib/project.ts';

export type Way = 'npm' | 'npx' | 'direct';
export type Ending = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL' | 'terminal closed' | 'Ctrl-C twice';
/** When to end it: milliseconds after the start, at the first line of our process, or when it is ready. */
export type Moment = number | 'first line' | 'ready';

const flags = (data: string): string => `--port 0 --data ${data}`;

/** The typed command line, by command and way to start it. @param data a data file for the test */
export function typed(command: string, way: Way, data: string): string | undefined {
  const proxy = '--upstream http://localhost:9 --port 0';
  const lines: Readonly<Record<string, Partial<Record<Way, string>>>> = {
    start: {
      npm: `npm start -- ${flags(data)}`,
      npx: `npx countersign start ${flags(data)}`,
      direct: `node cli/countersign.mjs start ${flags(data)}`,
    },
    mock: { npm: 'npm run mock -- --port 0', direct: 'node cli/countersign.mjs mock --port 0' },
    dev: { npm: `npm run dev -- ${flags(data)}`, direct: `node cli/countersign.mjs dev ${flags(data)}` },
    proxy: {
      npm: `npm run proxy -- ${proxy}`,
      npx: `npx countersign proxy ${proxy}`,
      direct: `node cli/countersign.mjs proxy ${proxy}`,
    },
  };
  return lines[command]?.[way];
}

const mark = 'COUNTERSIGN_TEST_MARK';

export interface Begun {
  readonly child: ChildProcess;
  /** The process ids of what was started last, and of its descendants. */
  alive(): number[];
  output(): string;
  /** Resolves when the output matches. */
  waitFor(pattern: RegExp): Promise<RegExpMatchArray>;
  /** The exit status as a shell reports it: 128 plus the signal's number after a signal. */
  readonly exit: Promise<number>;
}

/**
 * Runs a command line in the project's folder, with this Node as `node`. All its processes are killed when the test
 * ends.
 */
export function begin(words: readonly string[], env: Record<string, string> = {}): Begun {
  const id = randomUUID();
  const [name = '', ...args] = words;
  // Without the variables that npm set for the test run, because a user's terminal has none of them.
  const own = Object.entries(process.env).filter(([key]) => !/^(?:npm_|NODE_|INIT_CWD|VITEST|_$)/.test(key));
  const path = `${projectRoot}/node_modules/.bin:${process.env['PATH']}`;
  const child = spawn(name, args, {
    cwd: projectRoot,
    env: { ...Object.fromEntries(own), SHELL: '/bin/sh', ...env, PATH: path, [mark]: id },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  child.stdin.on('error', () => {});
  const seen = new Set<number>();
  const alive = (): number[] => {
    for (const pid of processesWith(`${mark}=${id}`)) seen.add(pid);
    return [...seen].filter(isRunning);
  };
  onTestFinished(() => {
    for (const pid of alive()) kill(pid, 'SIGKILL');
  });
  const exit = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? exitCodeOf[signal ?? 'SIGKILL'] ?? -1));
  });
  const waitFor = (pattern: RegExp) =>
    poll(
      () => pattern.exec(text),
      () => `${words.join(' ')} did not print ${pattern}:\n${text}`,
    );
  return { child, alive, output: () => text, waitFor, exit };
}

export const exitCodeOf: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 };

export function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    process.kill(pid as number, signal);
  } catch {
    // The process has already ended.
  }
}

/** The processes that were started with the variable in their environment. A process that is ending isn't found. */
function processesWith(variable: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readProcess(pid, 'environ').includes(variable));
}

/**
 * Whether a process still has open files. A zombie has ended and only waits until its parent collects its status. But a
 * process whose first thread has ended has its files, and their locks, until the last thread has, such as one that waits
 * for the disk.
 */
function isRunning(pid: number): boolean {
  return threadsOf(pid).some((thread) => {
    const stat = readProcess(pid, `task/${thread}/stat`);
    return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

export function readProcess(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}

/** Waits for other processes, which no simulated clock can speed up. The timeout is generous, for a busy machine. */
export async function poll<T>(
  look: () => T | null | undefined | false,
  failure: () => string,
  longestMs = 90_000,
): Promise<T> {
  for (const since = performance.now(); performance.now() - since < longestMs; await pause(25)) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
  }
  throw new Error(failure());
}

/** The id of our process in what was begun: the one that runs an entry file. */
export function entryOf({ alive }: Begun): number | undefined {
  return alive().find((pid) =>
    /^\S*node\0.*(?:(?:start|dev)\.mjs|\/countersign(?:\.mjs)?)\0/.test(readProcess(pid, 'cmdline')),
  );
}

/** Whether the port is free. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Opens the data file like a sandbox. The system may release the lock of an ended process a moment after the process is
 * gone.
 * @throws Error if another process keeps it
 */
export async function openDataFile(file: string): Promise<void> {
  for (const since = performance.now(); ; await pause(25)) {
    try {
      const store = await openSqlite(file);
      await store.close();
      return;
    } catch (error) {
      if (!(error instanceof DataFileRefused) || performance.now() - since > 5000) throw error;
    }
  }
}
