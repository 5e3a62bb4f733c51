import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { addressFlags, giveUp, launch, maxPort, readFlags, terminalLog, wholeNumber } from '../launch.ts';
import { createSandbox } from './app.ts';
import { seededChance, systemChance } from './kernel/chance.ts';
import { seededStart, systemClock } from './kernel/clock.ts';
import { isLoopback } from './server.ts';
import { openSqlite } from './store/sqlite.ts';
import { defaultDeviceCode, defaultPlatform } from './worlds/readyMade.ts';

const usage = `Usage: npm start -- [options]

  --port N        port to listen on, 0 for any free one (default 4010; PORT)
  --host NAME     address to listen on (default 127.0.0.1: this machine only; HOST)
  --data FILE     SQLite file that keeps the state, or :memory: (default data/sandbox.sqlite; DATA)
  --seed N        repeatable run: ids, secrets and sealing follow from N, and time stands still until told to move
  --proofs KIND   magic (default: the documented values pass) or real (what production checks)
  --journal WHAT  on (default: the last exchanges are kept in memory for /__sandbox/journal) or off
  --control-token TOKEN  needed with --host beyond this machine, for what has no platform's credentials (CONTROL_TOKEN)
  --help          this text
`;

interface Settings {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly seed: number | undefined;
  readonly proofs: 'magic' | 'real' | undefined;
  readonly controlToken: string | undefined;
  readonly journal: boolean;
}

function readSettings(): Settings {
  const options = {
    ...addressFlags(process.env),
    data: { type: 'string', default: process.env['DATA'] ?? 'data/sandbox.sqlite' },
    seed: { type: 'string' },
    proofs: { type: 'string' },
    journal: { type: 'string', default: 'on' },
    'control-token': { type: 'string' },
  } as const;
  const {
    port,
    host,
    data,
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
    data,
    proofs,
    journal: journal === 'on',
    controlToken: isLoopback(host) ? undefined : token,
    seed: seed === undefined ? undefined : wholeNumber('--seed', seed, Number.MAX_SAFE_INTEGER),
  };
}

async function main(): Promise<void> {
  const { port, host, data, seed, proofs, controlToken, journal } = readSettings();
  if (data !== ':memory:') mkdirSync(dirname(data), { recursive: true });
  const store = await openSqlite(data).catch((error: Error) =>
    giveUp(`Can't use ${data} as the data file: ${error.message}.`),
  );
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
  data          ${data === ':memory:' ? 'in memory, gone when it stops' : data}
  reference     ${new URL('/reference', base)}
  contract      generated/openapi.json; the guide is README.md
`;
  await launch({ app, host, port, ready, close: () => store.close() });
}

await main();
