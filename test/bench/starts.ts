/** Measures the time from starting a process to its first reply, and its memory after that. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { version } from '../../generated/operations.ts';
import { credentials } from './requests.ts';
import { mockCommand, prismScript, sandboxCommand, scalarScript, startCommandOf, startServer } from './servers.ts';

export interface Start {
  readonly server: 'sandbox' | 'beside' | 'mock' | 'prism' | 'scalar';
  /** Whether Node had compiled the modules before (its compile cache). */
  readonly cache: 'warm' | 'cold';
  /** What the sandbox found at its data path. */
  readonly data?: 'new' | 'existing';
  readonly readyMs: number;
  readonly firstReplyMs: number;
  /** The idle process's memory a few seconds after its first reply; null if it wasn't measured. */
  readonly restBytes: number | null;
}

export type StartKind = Pick<Start, 'server' | 'cache' | 'data'>;

const kinds: readonly StartKind[] = [
  { server: 'sandbox', cache: 'warm', data: 'existing' },
  { server: 'sandbox', cache: 'warm', data: 'new' },
  { server: 'sandbox', cache: 'cold', data: 'new' },
  { server: 'beside', cache: 'warm', data: 'new' },
  { server: 'mock', cache: 'warm' },
  { server: 'mock', cache: 'cold' },
  { server: 'prism', cache: 'warm' },
  { server: 'prism', cache: 'cold' },
  { server: 'scalar', cache: 'warm' },
  { server: 'scalar', cache: 'cold' },
];

export interface StartSettings {
  readonly folder: string;
  /** How many times each kind is started. */
  readonly count: number;
  readonly sandboxFlags: readonly string[];
  readonly restSeconds: number;
  /** Only servers with these names are measured. */
  readonly names: readonly string[];
  /** The checkout of `beside`. */
  readonly beside?: string | undefined;
}

/** Starts each kind of server this many times, in turn, and at once requests a list. */
export async function measureStarts(settings: StartSettings): Promise<Start[]> {
  if (settings.count === 0) return [];
  const starts: Start[] = [];
  const wanted = kinds.filter(({ server }) => settings.names.includes(server));
  // Fills the cache, which a process writes when it ends, and makes the data file for the later starts.
  for (const kind of wanted.filter(({ cache }) => cache === 'warm')) await measure(settings, kind, 0);
  for (let number = 1; number <= settings.count; number += 1) {
    for (const kind of wanted) starts.push(await measure(settings, kind, number));
  }
  for (const kind of wanted) {
    const times = starts.filter((start) => isOf(start, kind)).map(({ firstReplyMs }) => Math.round(firstReplyMs));
    console.log(`${nameOf(kind)}: first reply after ${times.join(', ')} ms`);
  }
  return starts;
}

export function isOf(start: StartKind, kind: StartKind): boolean {
  return start.server === kind.server && start.cache === kind.cache && start.data === kind.data;
}

export function nameOf({ server, cache, data }: StartKind): string {
  return `${server}, ${cache} cache${data === undefined ? '' : `, ${data} data file`}`;
}

/** The kinds that were started, without duplicates. */
export function kindsOf(starts: readonly Start[]): StartKind[] {
  return kinds.filter((kind) => starts.some((start) => isOf(start, kind)));
}

async function measure(settings: StartSettings, kind: StartKind, number: number): Promise<Start> {
  const { folder, sandboxFlags, restSeconds } = settings;
  const { server, cache, data } = kind;
  const cacheFolder = join(folder, cache === 'warm' ? 'cache-warm' : `cache-${server}-${number}`);
  const file = data === 'existing' ? 'start-existing.sqlite' : `start-${server}-${cache}-${number}.sqlite`;
  const checkout = server === 'beside' ? settings.beside : undefined;
  const commands: Record<Start['server'], string[]> = {
    sandbox: [...sandboxCommand, '--port', '0', '--data', join(folder, file), ...sandboxFlags],
    beside: [
      ...(checkout === undefined ? [] : startCommandOf(checkout)),
      ...['--port', '0', '--data', join(folder, file), ...sandboxFlags],
    ],
    mock: [...mockCommand, '--port', '0'],
    prism: [prismScript],
    scalar: [scalarScript],
  };
  const started = await startServer(commands[server], { NODE_COMPILE_CACHE: cacheFolder }, checkout);
  const readyMs = performance.now() - started.startedAt;
  const base = server === 'prism' || server === 'scalar' ? '' : `/${version}`;
  const authorization = `Basic ${btoa(`${credentials.clientId}:${credentials.clientSecret}`)}`;
  const response = await fetch(`${started.origin}${base}/customers`, { headers: { authorization } });
  await response.text();
  const firstReplyMs = performance.now() - started.startedAt;
  if (response.status !== 200) throw new Error(`The first reply of ${server} is ${response.status}`);
  let restBytes: number | null = null;
  if (number === 1 && cache === 'warm') {
    await wait(restSeconds * 1000);
    restBytes = started.residentBytes() ?? null;
  }
  await started.stop();
  if (cache === 'cold') rmSync(cacheFolder, { recursive: true, force: true });
  return { ...kind, readyMs, firstReplyMs, restBytes };
}
