/** Measures in separate processes, outside the load: many sandboxes in one program, and the longest stall. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { version } from '../../generated/operations.ts';
import { given } from '../../mocks/sandbox/tools/given.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { load } from './load.ts';
import { type Exchange, prepareWorld } from './requests.ts';
import { type Apart, type ManySandboxes, median, type Stall } from './results.ts';
import { type RunningServer, rawScript, startCommandOf, startServer } from './servers.ts';
import { record } from './wire.ts';

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
  const tell = (name: string, { ms, workMs }: Stall): Stall => {
    const work = `at most ${workMs.toFixed(1)} ms of it work`;
    console.log(`longest stall of ${name} in ${stallSeconds} s of writes: ${ms.toFixed(1)} ms, ${work}`);
    return { ms, workMs };
  };
  const measure = async (name: string, checkout: string) => {
    const own = mkdtempSync(join(folder, 'stall-'));
    const data = ['--data', join(own, 'data.sqlite')];
    const server = await startWatched(
      own,
      [...startCommandOf(checkout), '--port', '0', ...data, ...sandboxFlags],
      checkout,
    );
    const { exchanges } = await prepareWorld(`${server.origin}/${version}`);
    const quotes = exchanges.find((one) => one.name === 'quote') as Exchange;
    const stall = tell(name, await measureStall(server, quotes, stallSeconds));
    // Recorded while the sandbox runs, for the raw server.
    const replies = await record(server.origin, quotes.variants[0] ?? []);
    await server.stop();
    return { stall, quotes, replies };
  };
  const { stall, quotes, replies } = await measure('the sandbox', projectRoot);
  const besideStall = beside === undefined ? undefined : (await measure(`the sandbox of ${beside}`, beside)).stall;
  const rawFolder = mkdtempSync(join(folder, 'stall-'));
  const repliesFile = join(rawFolder, 'replies.json');
  writeFileSync(repliesFile, JSON.stringify(replies));
  const raw = await startWatched(rawFolder, [rawScript, repliesFile]);
  const rawStall = tell('the raw server', await measureStall(raw, quotes, stallSeconds));
  await raw.stop();
  const sandboxes = await measureMany();
  console.log(`${sandboxes.count} sandboxes: ${Math.round(sandboxes.ms)} ms`);
  return { sandboxes, stall, rawStall, stallSeconds, ...given({ besideStall }) };
}

interface Watched extends RunningServer {
  /** Where the process writes its stall. */
  readonly file: string;
}

/** Starts a server that watches its own event loop and reports after the load. */
async function startWatched(folder: string, args: readonly string[], checkout = projectRoot): Promise<Watched> {
  const file = join(folder, 'stall.json');
  const server = await startServer(['--import', watcher, ...args], { BENCH_STALLS: file }, checkout);
  return { ...server, file };
}

async function measureStall(server: Watched, exchange: Exchange, seconds: number): Promise<Stall> {
  await load(server, exchange, seconds / 4);
  process.kill(server.pid, 'SIGUSR2');
  await load(server, exchange, seconds);
  process.kill(server.pid, 'SIGUSR2');
  while (!existsSync(server.file)) await setTimeout(10);
  return JSON.parse(readFileSync(server.file, 'utf8')) as Stall;
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
