import { readFileSync } from 'node:fs';
import type { Fault } from '../../contract/faults.ts';
import { type Admission, admissionUsage } from '../admission.ts';
import { detachUsage, type Lifecycle, startDetached } from '../detach.ts';
import { addressFlags, admission, giveUp, launch, logFormat, maxPort, readFlags, wholeNumber } from '../launch.ts';
import { createTerminalLog, type TerminalLog } from '../log.ts';
import { createSandbox } from './app.ts';
import { isLoopback } from './node/listening/bind.ts';
import { describePostgresUrl } from './node/postgres/url.ts';
import { DataFileRefused } from './node/sqlite/dataFile.ts';
import { openSqlite } from './node/sqlite/sqlite.ts';
import type { Store } from './store/store.ts';
import type { Log } from './telemetry/log.ts';
import { seededChance, systemChance } from './tools/chance.ts';
import { seededStart, systemClock } from './tools/clock.ts';
import { given } from './tools/given.ts';
import { readJson } from './tools/json.ts';
import { Problem } from './tools/problem.ts';
import { defaultDeviceCode, defaultPlatform } from './worlds/readyMade.ts';
import type { SnapshotDocument, World } from './worlds/shape.ts';
import { snapshotBounds } from './worlds/snapshot.ts';

const usage = `Usage: npm start -- [options]

  --port N        port to listen on, 0 for any free one (default 4010; PORT)
  --host NAME     address to listen on (default localhost: this machine only; HOST)
${admissionUsage}
  --data FILE     SQLite file that keeps the state, or :memory: (default data/sandbox.sqlite; DATA)
  --database URL  PostgreSQL database instead, postgres://user:password@host/name, for any number of processes (DATABASE)
  --seed N        repeatable run: ids, secrets and sealing follow from N, and time stands still until told to move
  --proofs KIND   magic (default: the documented values pass) or real (what production checks)
  --world FILE    what sandbox:sandbox begins with, and a reset goes back to: a world or a snapshot, as JSON (WORLD)
  --journal WHAT  on (default: the last exchanges are kept in memory for /__sandbox/journal) or off
  --log FORMAT    a line per request: pretty (default), json for a collector, or off (LOG)
  --control-token TOKEN  needed with --host beyond this machine, for what has no platform's credentials (CONTROL_TOKEN)
  ${detachUsage}
  --help          this text
`;

interface Settings {
  readonly port: number;
  readonly host: string;
  readonly admitted: Admission;
  readonly place: Place;
  readonly seed: number | undefined;
  readonly proofs: 'magic' | 'real' | undefined;
  readonly controlToken: string | undefined;
  readonly journal: boolean;
  readonly world: WorldFile | undefined;
  readonly log: TerminalLog;
  readonly detach: boolean;
}

interface WorldFile {
  readonly name: string;
  readonly content: World | SnapshotDocument;
}

/** Where the state is kept. */
interface Place {
  /** Opens it, or ends the process and says why it can't be used. */
  readonly open: (log: Log) => Promise<Store>;
  readonly ready: string;
}

function readSettings(args: readonly string[]): Settings {
  const options = {
    ...addressFlags(process.env),
    data: { type: 'string' },
    database: { type: 'string' },
    seed: { type: 'string' },
    proofs: { type: 'string' },
    world: { type: 'string' },
    journal: { type: 'string', default: 'on' },
    'control-token': { type: 'string' },
  } as const;
  const {
    port,
    host,
    data,
    database,
    seed,
    proofs,
    journal,
    world = process.env['WORLD'],
    log,
    detach,
    'control-token': token = process.env['CONTROL_TOKEN'] ?? '',
    ...flags
  } = readFlags(options, usage, args);
  if (proofs !== undefined && proofs !== 'magic' && proofs !== 'real')
    giveUp(`--proofs takes magic or real, not "${proofs}".`);
  if (journal !== 'on' && journal !== 'off') giveUp(`--journal takes on or off, not "${journal}".`);
  if (!isLoopback(host) && token === '') {
    giveUp(
      `Listening on ${host} lets others in: give a --control-token, which then protects what needs no credentials here.`,
    );
  }
  return {
    port: wholeNumber('--port', port, maxPort),
    host,
    admitted: admission(flags),
    place: choosePlace(data, database),
    proofs,
    journal: journal === 'on',
    detach,
    world: world === undefined ? undefined : readWorldFile(world),
    log: createTerminalLog(logFormat(log)),
    controlToken: isLoopback(host) ? undefined : token,
    seed: seed === undefined ? undefined : wholeNumber('--seed', seed, Number.MAX_SAFE_INTEGER),
  };
}

/** What stands in it is looked at when the platform begins. */
function readWorldFile(name: string): WorldFile {
  const content = readJsonFile(name);
  if (typeof content !== 'object' || content === null || !('customers' in content || 'format' in content)) {
    giveUp(
      `${name} holds neither a world, {"customers": [...]}, nor what GET /__sandbox/snapshot gave (mocks/README.md).`,
    );
  }
  return { name, content: content as World | SnapshotDocument };
}

/** The same as the body of a request is read: what that refuses is no world. */
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

/** A world that is none: the places of its faults, a line each. */
function refuseWorld(error: unknown, name: string): never {
  if (!(error instanceof Problem)) throw error;
  giveUp([`${name} can't be what the platform begins with: ${error.message}`, ...faultLines(error)].join('\n'));
}

function faultLines(error: unknown): string[] {
  const faults = error instanceof Problem ? ((error.details?.['errors'] ?? []) as readonly Fault[]) : [];
  return faults.map(({ pointer, message }) => `  ${pointer.replace('/world', '') || '/'} ${message}`);
}

/** By the flags, else by the environment; a place of each kind at once is a mistake. */
function choosePlace(data: string | undefined, database: string | undefined): Place {
  const { DATA, DATABASE } = process.env;
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
    ready: `data          ${isInMemory ? 'in memory, gone when it stops' : file}`,
    open: () => openSqlite(file).catch((error: Error) => giveUp(whyRefused(error, `${file} as the data file`))),
  };
}

/** What the store says of itself is whole sentences; anything else gets the name of the place. */
function whyRefused(error: Error, place: string): string {
  return error instanceof DataFileRefused ? error.message : `Can't use ${place}: ${error.message}.`;
}

function postgresDatabase(url: string): Place {
  // The address has a password in it, so it is never said back.
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url) || /%(?![0-9A-Fa-f]{2})/.test(url)) {
    giveUp(
      '--database takes postgres://user:password@host:port/name; what is not plain in a password, percent-encoded.',
    );
  }
  const name = describePostgresUrl(url);
  return {
    ready: `database      ${name} (PostgreSQL)`,
    // Loaded only where it is asked for: the driver takes its time.
    open: async (log) => {
      const { openPostgres } = await import('./node/postgres/postgres.ts');
      return openPostgres(url, { log }).catch((error: Error) => giveUp(whyRefused(error, `the database ${name}`)));
    },
  };
}

/** Starts the sandbox. @param args its flags @returns the exit code of a start in the background, else nothing */
export async function main(lifecycle: Lifecycle, args: readonly string[]): Promise<number | undefined> {
  const { port, host, admitted, place, seed, proofs, controlToken, journal, world, log, detach } = readSettings(args);
  if (detach) return startDetached('start', lifecycle);
  const store = await place.open(log);
  const app = await createSandbox({
    store,
    clock: systemClock,
    chance: seed === undefined ? systemChance : seededChance(seed),
    log,
    journal,
    allowOrigins: admitted.allowOrigins,
    ...(world === undefined ? {} : { world: world.content }),
    ...(seed === undefined ? {} : { frozenAt: seededStart }),
    ...given({ proofs, controlToken }),
  }).catch(async (error: unknown): Promise<never> => {
    await store.close();
    return refuseWorld(error, world?.name ?? '');
  });
  const user = `${defaultPlatform.clientId}:${defaultPlatform.clientSecret}`;
  const ready = (base: string): string => `
Countersign sandbox is ready at ${base}

  credentials   ${user}   (HTTP Basic)
  try           curl -u ${user} ${base}/customers
  agent         POST ${base}/agents/device-codes/${defaultDeviceCode}/redeem   (once)
  ${place.ready}${world === undefined ? '' : `\n  world         ${world.name}; an older data file goes on as it was until a reset`}
  reference     ${new URL('/reference', base)}
  contract      generated/openapi.json; the guide is README.md
`;
  const { allowHosts } = admitted;
  await launch({ app, log, host, port, allowHosts, lifecycle, ready, close: () => store.close() });
  return undefined;
}
