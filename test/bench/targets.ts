/** The servers for the benchmark: started, filled, and with the answers that each must give. */
import { deepStrictEqual } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../generated/operations.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type PostgresServer, startPostgres } from '../support/sandbox/postgresServer.ts';
import type { Order } from './inProcess.ts';
import { load } from './load.ts';
import {
  type BenchWorld,
  type Exchange,
  type ExchangeName,
  listExchange,
  prepareWorld,
  type Step,
  samplesOf,
} from './requests.ts';
import type { Round } from './round.ts';
import * as servers from './servers.ts';
import { stock } from './stock.ts';
import { type RecordedStep, record } from './wire.ts';

export const serverNames = [
  'raw',
  'sandbox',
  'beside',
  'memory',
  'postgres',
  'beside-postgres',
  'in-process',
  'mock',
  'prism',
  'scalar',
] as const;
export type ServerName = (typeof serverNames)[number];

/** Which server of this checkout each one of the other checkout is compared with. */
export const besides: Readonly<Partial<Record<ServerName, ServerName>>> = {
  sandbox: 'beside',
  postgres: 'beside-postgres',
};

export interface Target {
  readonly name: ServerName;
  readonly server: servers.RunningServer;
  /** The exchanges that it is measured with, in the order of the tables. */
  readonly exchanges: readonly ExchangeName[];
  /** Remarks that readers of its figures need, by exchange. */
  readonly notes: ReadonlyMap<ExchangeName, string>;
  load(exchange: ExchangeName, seconds: number): Promise<Round>;
}

export interface TargetSettings {
  readonly folder: string;
  readonly names: readonly ServerName[];
  /** How many external accounts the larger store has; 0 for no such store. */
  readonly many: number;
  readonly sandboxFlags: readonly string[];
  /** Another checkout of the project, for the servers that come from it. */
  readonly beside?: string | undefined;
}

/** A server and its exchanges. A target has several servers if one can't have all stores. */
interface Site {
  readonly server: servers.RunningServer;
  readonly exchanges: readonly Exchange[];
  readonly signIn?: BenchWorld['signIn'];
  /** How many reads it has answered from its memory. */
  readonly hits?: () => Promise<number>;
}

/**
 * Starts them all. The sandbox on a file always runs, because it provides the requests for the others and the bytes of
 * the raw server.
 * @throws Error if a server doesn't start, or gives an unexpected answer.
 */
export async function startTargets(settings: TargetSettings): Promise<Target[]> {
  const { folder, names, many, sandboxFlags, beside } = settings;
  const file = await openWorld(['--data', join(folder, 'load.sqlite'), ...sandboxFlags]);
  const sandbox = [file, ...(many === 0 ? [] : [await openLarge(folder, many, sandboxFlags)])];
  const start = async (name: ServerName): Promise<Target> => {
    if (name === 'sandbox') return targetOf(name, sandbox);
    if (name === 'raw') return targetOf(name, await Promise.all(sandbox.map((site) => openRaw(folder, site))));
    if (name === 'memory') return targetOf(name, [await openWorld(['--data', ':memory:', ...sandboxFlags])]);
    if (name === 'postgres') return targetOf(name, [await openOnPostgres(sandboxFlags)]);
    if (name === 'beside-postgres') return targetOf(name, [await openOnPostgres(sandboxFlags, beside)]);
    if (name === 'beside') {
      return targetOf(name, [await openWorld(['--data', join(folder, 'beside.sqlite'), ...sandboxFlags], beside)]);
    }
    if (name === 'in-process') return openInProcess(file.exchanges);
    if (name === 'mock') return openStateless(name, [...servers.mockCommand, '--port', '0'], file.exchanges);
    const script = name === 'prism' ? servers.prismScript : servers.scalarScript;
    return openStateless(name, [script], file.exchanges.map(withoutVersion));
  };
  const targets: Target[] = [];
  for (const name of names) {
    targets.push(await start(name));
    console.log(`${name} is up`);
  }
  return targets;
}

function targetOf(name: ServerName, sites: readonly Site[], notes = new Map<ExchangeName, string>()): Target {
  const [{ server }] = sites as [Site];
  return {
    name,
    server,
    exchanges: sites.flatMap(({ exchanges }) => exchanges.map((one) => one.name)),
    notes,
    async load(wanted, seconds) {
      for (const site of sites) {
        const exchange = site.exchanges.find((one) => one.name === wanted);
        if (exchange === undefined) continue;
        if (wanted === 'signed') await site.signIn?.();
        const before = await site.hits?.();
        const round = await load(site.server, exchange, seconds);
        const after = await site.hits?.();
        if (before === undefined || after === undefined) return round;
        return { ...round, fromMemory: Math.min(1, (after - before) / Math.max(1, round.requests)) };
      }
      throw new Error(`${name} is not asked for ${wanted}`);
    },
  };
}

/** @param checkout where the sandbox is from; this one by default. */
async function openWorld(flags: readonly string[], checkout = projectRoot): Promise<Site> {
  const command = servers.startCommandOf(checkout);
  const server = await servers.startServer([...command, '--port', '0', ...flags], {}, checkout);
  return { server, hits: () => readHits(server.origin), ...(await prepareWorld(`${server.origin}/${version}`)) };
}

async function readHits(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/__sandbox/metrics`)).text();
  return Number(/^countersign_reply_cache_hits_total (\d+)$/m.exec(text)?.[1]);
}

async function openLarge(folder: string, many: number, flags: readonly string[]): Promise<Site> {
  return { server: (await stock(folder, many, flags)).server, exchanges: [listExchange('many')] };
}

const databases = new Set<PostgresServer>();

async function openOnPostgres(flags: readonly string[], checkout?: string): Promise<Site> {
  const database = await startPostgres({ isDurable: true });
  databases.add(database);
  return openWorld(['--database', database.url, ...flags], checkout);
}

/** Stops servers that aren't our child processes. */
export async function stopDatabases(): Promise<void> {
  for (const database of databases) await database.stop();
}

let rawFiles = 0;

/** Records each reply once, and gives the yardstick those bytes. */
async function openRaw(folder: string, { server, exchanges, signIn }: Site): Promise<Site> {
  await signIn?.();
  const recorded: RecordedStep[] = [];
  const unlike = unlikeVariants(exchanges);
  for (const steps of unlike) recorded.push(...(await record(server.origin, steps)));
  for (const { step, reply } of recorded) {
    if (reply.status !== step.expected)
      throw new Error(`${step.method} ${step.path} is ${reply.status}: ${reply.body}`);
  }
  rawFiles += 1;
  const file = join(folder, `replies-${rawFiles}.json`);
  writeFileSync(file, JSON.stringify(recorded));
  const raw = await servers.startServer([servers.rawScript, file]);
  // It is a yardstick only if it sends the same bytes.
  const byStep = new Map(recorded.map((one) => [one.step, one]));
  for (const steps of unlike) {
    for (const again of await record(raw.origin, steps)) deepStrictEqual(again, byStep.get(again.step));
  }
  return { server: raw, exchanges };
}

/** Variants with different methods or addresses, because the yardstick only distinguishes those. */
function unlikeVariants(exchanges: readonly Exchange[]): (readonly Step[])[] {
  const all = exchanges.flatMap(({ variants }) => variants);
  return [...new Map(all.map((steps) => [`${steps[0]?.method} ${steps[0]?.path}`, steps])).values()];
}

async function openInProcess(exchanges: readonly Exchange[]): Promise<Target> {
  const server = await servers.startServer([servers.inProcessScript]);
  return {
    name: 'in-process',
    server,
    exchanges: exchanges.map(({ name }) => name),
    notes: new Map(),
    load: async (exchange, seconds) => (await server.ask({ exchange, seconds } satisfies Order)) as Round,
  };
}

/**
 * Sends each request once, and expects the same answer later. To the first of two requests, a stateless server may
 * return a success that the sandbox would not. Requests that it refuses are left out and noted.
 */
async function openStateless(name: ServerName, script: readonly string[], asked: readonly Exchange[]): Promise<Target> {
  const server = await servers.startServer(script);
  const notes = new Map<ExchangeName, string>();
  const exchanges: Exchange[] = [];
  for (const exchange of asked) {
    const samples = samplesOf(exchange).flat();
    const answers = (await record(server.origin, samples)).map(({ reply }) => reply.status);
    const expected = samples.map((step) => step.expected);
    if (answers.join() !== expected.join()) {
      notes.set(exchange.name, `answers ${answers.join(', then ')} instead of ${expected.join(', then ')}`);
    }
    if (answers.some((status) => status < 200 || status > 299)) continue;
    const variants = exchange.variants.map((steps, variant) => {
      const own =
        exchange.lastShare !== undefined && variant === exchange.variants.length - 1 ? answers.slice(1) : answers;
      return steps.map((step, index) => ({ ...step, expected: own[index] ?? step.expected }));
    });
    exchanges.push({ ...exchange, variants });
  }
  return targetOf(name, [{ server, exchanges }], notes);
}

function withoutVersion(exchange: Exchange): Exchange {
  const variants = exchange.variants.map((steps) =>
    steps.map((step) => ({ ...step, path: step.path.replace(`/${version}`, '') })),
  );
  return { ...exchange, variants };
}
