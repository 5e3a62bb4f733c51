import { readFileSync } from 'node:fs';
import type { Lifecycle } from '../../cli/command/command.ts';
import type { Fault } from '../../contract/faults.ts';
import type { Admission } from '../admission.ts';
import { describeReady } from '../banner.ts';
import { type AdmissionFlags, admission, giveUp, launch } from '../launch.ts';
import { createTerminalLog, type LogFormat, type TerminalLog } from '../log.ts';
import { createSandbox } from './app.ts';
import { isConsoleThere, isReferenceThere } from './node/installed.ts';
import { isLoopback } from './node/listening/bind.ts';
import { describePostgresUrl } from './node/postgres/url.ts';
import { DataFileRefused } from './node/sqlite/dataFile.ts';
import { openSqlite } from './node/sqlite/sqlite.ts';
import type { Store } from './store/store.ts';
import { defaultJournalBytes } from './telemetry/journal.ts';
import type { Log } from './telemetry/log.ts';
import { seededChance, systemChance } from './tools/chance.ts';
import { seededStart, systemClock } from './tools/clock.ts';
import { given } from './tools/given.ts';
import { readJson } from './tools/json.ts';
import { Problem } from './tools/problem.ts';
import { defaultDeviceCode, defaultPlatform } from './worlds/readyMade.ts';
import type { SnapshotDocument, World, WorldName } from './worlds/shape.ts';
import { snapshotBounds } from './worlds/snapshot.ts';

/** The flags of the sandbox, as cli/start.ts describes them. */
export interface SandboxFlags extends AdmissionFlags {
  readonly port: number;
  readonly host: string;
  readonly data: string | undefined;
  readonly database: string | undefined;
  readonly seed: number | undefined;
  readonly proofs: 'magic' | 'real' | undefined;
  readonly world: string | undefined;
  readonly journal: string;
  readonly log: LogFormat;
  readonly 'control-token': string | undefined;
  readonly format: 'text' | 'json';
  readonly detach: boolean;
}

/** What it is started with besides its flags. */
export interface Surroundings {
  readonly lifecycle: Lifecycle;
  /** DATA and DATABASE say where the state is if no flag does. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Settings {
  readonly port: number;
  readonly host: string;
  readonly admitted: Admission;
  readonly place: Place;
  readonly seed: number | undefined;
  readonly proofs: 'magic' | 'real' | undefined;
  readonly controlToken: string | undefined;
  /** Its size in bytes; undefined for none. */
  readonly journal: number | undefined;
  readonly world: WorldFile | undefined;
  readonly log: TerminalLog;
  readonly detach: boolean;
}

interface WorldFile {
  readonly name: string;
  readonly content: World | SnapshotDocument | WorldName;
}

/** Where the state is kept. */
interface Place {
  /** Opens it, or explains why it can't be used. @throws WrongUse */
  readonly open: (log: Log) => Promise<Store>;
  /** Its name in the ready text. */
  readonly ready: readonly [kind: string, name: string];
}

function readSettings(flags: SandboxFlags, env: Surroundings['env']): Settings {
  const { port, host, data, database, seed, proofs, journal, world, log, detach, 'control-token': token = '' } = flags;
  if (!isLoopback(host) && token === '') {
    giveUp(
      `Other machines can reach ${host}: give a --control-token, which protects the operations without credentials.`,
    );
  }
  return {
    port,
    host,
    admitted: admission(flags),
    place: choosePlace({ data, database }, env),
    proofs,
    journal: readJournalSize(journal),
    detach,
    world: world === undefined ? undefined : readWorld(world),
    log: createTerminalLog(log),
    controlToken: isLoopback(host) ? undefined : token,
    seed,
  };
}

const [mebibyte, gibibyte] = [1024 ** 2, 1024 ** 3];

/** The size of the journal in bytes; undefined for none. In a container with little memory the default is smaller. */
function readJournalSize(text: string): number | undefined {
  if (text === 'off') return undefined;
  if (text === 'on') return defaultJournalBytes(process.constrainedMemory());
  const [, digits = '0', unit = ''] = /^(\d{1,6})(M|G)i?B$/i.exec(text) ?? [];
  const bytes = Number(digits) * (unit.toUpperCase() === 'G' ? gibibyte : mebibyte);
  if (bytes < mebibyte || bytes > 16 * gibibyte) {
    giveUp(`--journal takes on, off, or a size from 1MiB to 16GiB such as 256MiB, not "${text}".`);
  }
  return bytes;
}

/** A world by its name, or a file. The file's content is checked when the platform starts. */
function readWorld(name: string): WorldFile {
  if (name === 'ready-made' || name === 'examples') return { name, content: name };
  const content = readJsonFile(name);
  if (typeof content !== 'object' || content === null || !('customers' in content || 'format' in content)) {
    giveUp(
      `${name} contains neither a world, {"customers": [...]}, nor a snapshot from GET /__sandbox/snapshot (docs/how-to/worlds.md).`,
    );
  }
  return { name, content: content as World | SnapshotDocument };
}

/** Reads a file like the body of a request. If that refuses it, it isn't a world. */
function readJsonFile(name: string): unknown {
  try {
    const bytes = readFileSync(name);
    const limit = snapshotBounds.bytes;
    if (bytes.length > limit) giveUp(`Can't read ${name} as a world: it has more than ${limit} bytes.`);
    return readJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), snapshotBounds);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const end = message.endsWith('.') ? '' : '.';
    giveUp([`Can't read ${name} as a world: ${message}${end}`, ...faultLines(error)].join('\n'));
  }
}

/** Reports an invalid world: the places of its faults, one per line. */
function refuseWorld(error: unknown, name: string): never {
  if (!(error instanceof Problem)) throw error;
  giveUp([`${name} can't be the world of the platform: ${error.message}`, ...faultLines(error)].join('\n'));
}

function faultLines(error: unknown): string[] {
  const faults = error instanceof Problem ? ((error.details?.['errors'] ?? []) as readonly Fault[]) : [];
  return faults.map(({ pointer, message }) => `  ${pointer.replace('/world', '') || '/'} ${message}`);
}

/** The flags decide, then the environment. It is a mistake to give both kinds of place. */
function choosePlace({ data, database }: Pick<SandboxFlags, 'data' | 'database'>, env: Surroundings['env']): Place {
  const { DATA, DATABASE } = env;
  const isByFlag = data !== undefined || database !== undefined;
  const file = isByFlag ? data : DATA;
  const url = isByFlag ? database : DATABASE;
  if (file !== undefined && url !== undefined) {
    giveUp(`${isByFlag ? '--data and --database' : 'DATA and DATABASE'} name two places for the state: give one.`);
  }
  return url === undefined ? dataFile(file ?? 'data/sandbox.sqlite') : postgresDatabase(url);
}

function dataFile(file: string): Place {
  const isInMemory = file === ':memory:';
  return {
    ready: ['data', isInMemory ? 'in memory, gone when it stops' : file],
    open: () => openSqlite(file).catch((error: Error) => giveUp(whyRefused(error, `${file} as the data file`))),
  };
}

/** The store's own messages are whole sentences. Other messages get the name of the place. */
function whyRefused(error: Error, place: string): string {
  return error instanceof DataFileRefused ? error.message : `Can't use ${place}: ${error.message}.`;
}

function postgresDatabase(url: string): Place {
  // The message doesn't repeat the address, because it contains a password.
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url) || /%(?![0-9A-Fa-f]{2})/.test(url)) {
    giveUp(
      '--database takes postgres://user:password@host:port/name; percent-encode special characters in the password.',
    );
  }
  const name = describePostgresUrl(url);
  return {
    ready: ['database', `${name} (PostgreSQL)`],
    // Loaded only if it is needed, because loading the driver takes a while.
    open: async (log) => {
      const { openPostgres } = await import('./node/postgres/postgres.ts');
      return openPostgres(url, { log }).catch((error: Error) => giveUp(whyRefused(error, `the database ${name}`)));
    },
  };
}

/** Starts the sandbox. @returns the exit code of a start in the background, otherwise nothing @throws WrongUse */
export async function startSandbox(flags: SandboxFlags, { lifecycle, env }: Surroundings): Promise<number | undefined> {
  const settings = readSettings(flags, env);
  const { port, host, admitted, place, seed, proofs, controlToken, journal, world, log, detach } = settings;
  if (detach) return (await import('../detach.ts')).startDetached('start', lifecycle, flags.format);
  const store = await place.open(log);
  const app = await createSandbox({
    store,
    clock: systemClock,
    chance: seed === undefined ? systemChance : seededChance(seed),
    log,
    journal: journal !== undefined,
    ...given({ journalBytes: journal }),
    allowOrigins: admitted.allowOrigins,
    ...(world === undefined ? {} : { world: world.content }),
    ...(seed === undefined ? {} : { frozenAt: seededStart }),
    ...given({ proofs, controlToken }),
  }).catch(async (error: unknown): Promise<never> => {
    await store.close();
    return refuseWorld(error, world?.name ?? '');
  });
  const credentials = `${defaultPlatform.clientId}:${defaultPlatform.clientSecret}`;
  const ready = (base: string): string =>
    describeReady({
      base,
      user: credentials,
      proofs,
      deviceCode: world === undefined || world.content === 'ready-made' ? defaultDeviceCode : undefined,
      place: place.ready,
      world: world?.name,
      hasJournal: journal !== undefined,
      hasReference: isReferenceThere(),
      hasConsole: isConsoleThere(),
    });
  const { allowHosts } = admitted;
  const close = () => store.close();
  const { format } = flags;
  await launch({ app, log, host, port, allowHosts, lifecycle, credentials, format, ready, close });
  return undefined;
}
