/** Measures in separate processes, outside the load: many sandboxes in one program, and the longest stall. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { version } from '../../generated/operations.ts';
import { given } from '../../mocks/sandbox/tools/given.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { load } from './load.ts';
import { type Exchange, prepareWorld } from './requests.ts';
import { type Apart, type ManySandboxes, median } from './results.ts';
import { startCommandOf, startServer } from './servers.ts';

const watcher = fileURLToPath(new URL('./watchStalls.ts', import.meta.url));
const manyScript = fileURLToPath(new URL('./manySandboxes.ts', import.meta.url));
const processes = 3;

interface ApartSettings {
  readonly isQuick: boolean;
  readonly sandboxFlags: readonly string[];
  /** Another checkout, whose stall is measured too. */
  readonly beside?: string | undefined;
}

export async function measureApart(folder: string, { isQuick, sandboxFlags, beside }: ApartSettings): Promise<Apart> {
  const stallSeconds = isQuick ? 2 : 20;
  const measure = async (checkout: string | undefined) => {
    const stallMs = await measureStall(folder, stallSeconds, sandboxFlags, checkout);
    const where = checkout === undefined ? '' : ` of ${checkout}`;
    console.log(`longest stall${where} in ${stallSeconds} s of writes: ${stallMs.toFixed(1)} ms`);
    return stallMs;
  };
  const stallMs = await measure(undefined);
  const besideStallMs = beside === undefined ? undefined : await measure(beside);
  const sandboxes = await measureMany();
  console.log(`${sandboxes.count} sandboxes: ${Math.round(sandboxes.ms)} ms`);
  return { sandboxes, stallMs, stallSeconds, ...given({ besideStallMs }) };
}

/** Writes like the load, to a process that watches its own event loop and reports after the load. */
async function measureStall(
  folder: string,
  seconds: number,
  flags: readonly string[],
  checkout = projectRoot,
): Promise<number> {
  const name = checkout === projectRoot ? 'stall' : 'stall-beside';
  const [data, file] = [join(folder, `${name}.sqlite`), join(folder, `${name}.json`)];
  const args = ['--import', watcher, ...startCommandOf(checkout), '--port', '0', '--data', data, ...flags];
  const server = await startServer(args, { BENCH_STALLS: file }, checkout);
  const { exchanges } = await prepareWorld(`${server.origin}/${version}`);
  const quotes = exchanges.find(({ name }) => name === 'quote') as Exchange;
  await load(server, quotes, seconds / 4);
  process.kill(server.pid, 'SIGUSR2');
  await load(server, quotes, seconds);
  process.kill(server.pid, 'SIGUSR2');
  while (!existsSync(file)) await setTimeout(10);
  await server.stop();
  return (JSON.parse(readFileSync(file, 'utf8')) as { longestMs: number }).longestMs;
}

async function measureMany(): Promise<ManySandboxes> {
  const all: ManySandboxes[] = [];
  for (let number = 0; number < processes; number += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', manyScript]);
    all.push(JSON.parse(stdout) as ManySandboxes);
  }
  const middle = median(all.map(({ ms }) => ms));
  return all.find(({ ms }) => ms === middle) as ManySandboxes;
}
