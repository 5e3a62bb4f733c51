/** The servers under load, each a process of its own, so that none shares a core's time with the load generator. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { projectRoot } from '../../scripts/lib/project.ts';

export interface RunningServer {
  /** Scheme, host and port: no path. */
  readonly origin: string;
  /** Milliseconds from starting the process to its ready line. */
  readonly readyMs: number;
  /** Processor time it has used so far, in milliseconds; undefined where the system has no /proc. */
  cpuMs(): number | undefined;
  /** Asks it to stop and waits until it is gone. */
  stop(): Promise<void>;
}

const readyLine = /\bready at (https?:\/\/\S+)/;
const longestStartMs = 60_000;
const running = new Set<ChildProcess>();

/**
 * Starts a script of the project on the Node that runs us and waits until it says that it is ready.
 * @param args the script, relative to the project, and its flags.
 * @throws Error with what it wrote, when it ends or a minute passes before that.
 */
export function startServer(args: readonly string[]): Promise<RunningServer> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void gone.then(() => running.delete(child));
  const stop = (): Promise<void> => {
    child.kill();
    return gone;
  };
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
      child.stdout.off('data', listen).resume();
      child.stderr.off('data', listen).pipe(process.stderr);
      resolve({
        origin: new URL(address).origin,
        readyMs: performance.now() - startedAt,
        cpuMs: () => cpuOf(child),
        stop,
      });
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', listen);
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('close', (code) => fail(`ended with exit code ${code} before it was ready`));
  });
}

/** proc(5): user and system time of all threads, in ticks of 10 ms, after the name in brackets that may hold spaces. */
function cpuOf({ pid }: ChildProcess): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const afterName = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(afterName[11]) + Number(afterName[12])) * 10;
}

/** Leaves no server behind when the benchmark itself is ending and can't wait. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL');
}
