/** Starts a sandbox for a script. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../lib/project.ts';

export interface RunningSandbox {
  /** The base address, with the version. */
  readonly base: string;
  /** Stops it. Resolves when its port is free. */
  stop(): Promise<void>;
}

/** Starts a sandbox on a free port, seeded and with its data in memory. Throws with its output if it doesn't start. */
export function startSandbox(): Promise<RunningSandbox> {
  const script = join(projectRoot, 'cli/countersign.mjs');
  const child = spawn(process.execPath, [script, 'start', '--port', '0', '--data', ':memory:', '--seed', '1'], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return new Promise((resolve, reject) => {
    let text = '';
    const listen = (chunk: string): void => {
      text += chunk;
      const base = /ready at (http:\S+)\n/.exec(text)?.[1];
      if (base === undefined) return;
      resolve({
        base,
        stop: () => {
          child.kill('SIGTERM');
          return ended;
        },
      });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`The sandbox did not start.\n${text}`)));
  });
}
