import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { addressFlags, giveUp, launch, maxPort, readFlags, terminalLog, wholeNumber } from '../launch.ts';
import { createSandbox } from './app.ts';
import { seededChance, systemChance } from './kernel/chance.ts';
import { seededStart, systemClock } from './kernel/clock.ts';
import { isLoopback } from './server.ts';
import { describePostgresUrl } from './store/postgresUrl.ts';
import { openSqlite } from './store/sqlite.ts';
import type { Store } from './store/store.ts';
import { defaultDeviceCode, defaultPlatform } from './worlds/readyMade.ts';

const usage = `Usage: npm start -- [options]

  --port N        port to listen on, 0 for any free one (default 4010; PORT)
  --host NAME     address to listen on (default 127.0.0.1: this machine only; HOST)
  --data FILE     SQLite file that keeps the state, or :memory: (default data/sandbox.sqlite; DATA)
  --database URL  PostgreSQL database instead, postgres://user:password@host/name, for any number of processes (DATABASE)
  --seed N        repeatable run: ids, secrets and sealing follow from N, and time stands still until told to move
  --proofs KIND   magic (default: the documented values pass) or real (what production checks)
  --journal WHAT  on (default: the last exchanges are kept in memory for /__sandbox/journal) or off
  --control-token TOKEN  needed with --host beyond this machine, for what has no platform's credentials (CONTROL_TOKEN)
  --help          this text
`;

interface Settings {
  readonly port: number;
  readonly host: string;
  readonly place: Place;
  readonly seed: number | undefined;
  readonly proofs: 'magic' | 'real' | undefined;
  readonly controlToken: string | undefined;
  readonly journal: boolean;
}

/** Where the state is kept: how to open it, and what to call it. */
interface Place {
  readonly open: () => Promise<Store>;
  readonly name: string;
  readonly ready: string;
}

function readSettings(): Settings {
  const options = {
    ...addressFlags(process.env),
    data: { type: 'string' },
    database: { type: 'string' },
    seed: { type: 'string' },
    proofs: { type: 'string' },
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
    'control-token': token = process.env['CONTROL_TOKEN'] ?? '',
  } = readFlags(options, usage);
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
    place: choosePlace(data, database),
    proofs,
    journal: journal === 'on',
    controlToken: isLoopback(host) ? undefined : token,
    seed: seed === undefined ? undefined : wholeNumber('--seed', seed, Number.MAX_SAFE_INTEGER),
  };
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
    name: `${file} as the data file`,
    ready: `data          ${isInMemory ? 'in memory, gone when it stops' : file}`,
    open: async () => {
      if (!isInMemory) mkdirSync(dirname(file), { recursive: true });
      return openSqlite(file);
    },
  };
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
    name: `the database ${name}`,
    ready: `database      ${name} (PostgreSQL)`,
    // Loaded only where it is asked for: the driver takes its time.
    open: async () => (await import('./store/postgres.ts')).openPostgres(url, { log: terminalLog }),
  };
}

async function main(): Promise<void> {
  const { port, host, place, seed, proofs, controlToken, journal } = readSettings();
  const store = await place.open().catch((error: Error) => giveUp(`Can't use ${place.name}: ${error.message}.`));
  const app = await createSandbox({
    store,
    clock: systemClock,
    chance: seed === undefined ? systemChance : seededChance(seed),
    log: terminalLog,
    journal,
    ...(seed === undefined ? {} : { frozenAt: seededStart }),
    ...(proofs === undefined ? {} : { proofs }),
    ...(controlToken === undefined ? {} : { controlToken }),
  });
  const user = `${defaultPlatform.clientId}:${defaultPlatform.clientSecret}`;
  const ready = (base: string): string => `
Countersign sandbox is ready at ${base}

  credentials   ${user}   (HTTP Basic)
  try           curl -u ${user} ${base}/customers
  agent         POST ${base}/agents/device-codes/${defaultDeviceCode}/redeem   (once)
  ${place.ready}
  reference     ${new URL('/reference', base)}
  contract      generated/openapi.json; the guide is README.md
`;
  await launch({ app, host, port, ready, close: () => store.close() });
}

await main();
