/**
 * Starts the servers under load, each as a separate process, so that they don't share a core with the load generator.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../scripts/lib/project.ts';

export interface RunningServer {
  /** Scheme, host and port: no path. */
  readonly origin: string;
  /** When its process started, by `performance.now()`. */
  readonly startedAt: number;
  readonly pid: number;
  /** The processor time that it has used so far, in milliseconds; undefined if the system has no /proc. */
  cpuMs(): number | undefined;
  /** Its memory in bytes (resident set); undefined if the system has no /proc. */
  residentBytes(): number | undefined;
  /** Sends it a message and resolves to its next one, for our own scripts that answer. */
  ask(message: object): Promise<unknown>;
  /** Stops it and waits until it is gone. */
  stop(): Promise<void>;
}

/** The command of `npm start`: flags of Node, and the script. */
export const sandboxCommand: readonly string[] = startCommandOf(projectRoot);
export const mockCommand: readonly string[] = ['cli/countersign.mjs', 'mock'];
export const rawScript = fileURLToPath(new URL('./raw.ts', import.meta.url));
export const prismScript = fileURLToPath(new URL('./prism.ts', import.meta.url));
export const scalarScript = fileURLToPath(new URL('./scalar.ts', import.meta.url));
export const inProcessScript = fileURLToPath(new URL('./inProcess.ts', import.meta.url));

/** The same of any checkout of the project, with the flags of its own start command. */
export function startCommandOf(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const words = scripts.start.split(' ');
  return words.slice(words.indexOf('node') + 1);
}

const readyLine = /\bready at (https?:\/\/\S+)/;
const longestStartMs = 60_000;
const running = new Set<ChildProcess>();

/**
 * Starts a script of the project with this Node and waits until it reports that it is ready.
 * @param args the script, relative to the project, and its flags.
 * @param env additional environment variables.
 * @param folder another checkout of the project, which the script is from.
 * @throws Error with its output, if it ends first or isn't ready within a minute.
 */
export function startServer(
  args: readonly string[],
  env: Record<string, string> = {},
  folder = projectRoot,
): Promise<RunningServer> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    // Opens a message channel only if it is used. The other servers start as a user starts them.
    stdio: ['ignore', 'pipe', 'pipe', ...(args[0] === inProcessScript ? (['ipc'] as const) : [])],
  });
  running.add(child);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void gone.then(() => running.delete(child));
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (what: string): void => {
      clearTimeout(patience);
      reject(new Error(`${args.join(' ')} ${what}\n${output.trim()}`));
    };
    const patience = setTimeout(() => {
      fail(`was not ready within ${longestStartMs / 1000} s`);
      child.kill('SIGKILL');
    }, longestStartMs);
    const listen = (text: string): void => {
      output += text;
      const address = readyLine.exec(output)?.[1];
      if (address === undefined) return;
      clearTimeout(patience);
      child.stdout?.off('data', listen).resume();
      child.stderr?.off('data', listen).pipe(process.stderr);
      resolve(serverOf(child, new URL(address).origin, startedAt, gone));
    };
    child.stdout?.setEncoding('utf8').on('data', listen);
    child.stderr?.setEncoding('utf8').on('data', listen);
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('close', (code) => fail(`ended with exit code ${code} before it was ready`));
  });
}

function serverOf(child: ChildProcess, origin: string, startedAt: number, gone: Promise<void>): RunningServer {
  return {
    origin,
    startedAt,
    pid: child.pid as number,
    cpuMs: () => cpuOf(child),
    residentBytes: () => residentOf(child),
    ask: (message) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve);
        void gone.then(() => reject(new Error('The process ended before it answered.')));
        child.send(message);
      }),
    stop() {
      child.kill();
      return gone;
    },
  };
}

/**
 * proc(5): user and system time of all threads, in ticks of 10 ms. They follow the name in brackets, which may contain
 * spaces.
 */
function cpuOf({ pid }: ChildProcess): number | undefined {
  const afterName = readProc(pid, 'stat')?.split(') ').at(-1)?.split(' ');
  return afterName === undefined ? undefined : (Number(afterName[11]) + Number(afterName[12])) * 10;
}

function residentOf({ pid }: ChildProcess): number | undefined {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '')?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

function readProc(pid: number | undefined, name: string): string | undefined {
  const file = `/proc/${pid}/${name}`;
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Kills the servers if the benchmark must end without waiting. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL');
}
