import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { createSandbox } from './app.ts';
import { seededChance, systemChance } from './kernel/chance.ts';
import { systemClock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import { listen } from './server.ts';
import { basePath } from './shell/shell.ts';
import { openSqlite } from './store/sqlite.ts';
import { defaultPlatform } from './worlds/readyMade.ts';

const usage = `Usage: npm start -- [options]

  --port N        port to listen on, 0 for any free one (default 4010; PORT)
  --host NAME     address to listen on (default 127.0.0.1: this machine only; HOST)
  --data FILE     SQLite file that keeps the state, or :memory: (default data/sandbox.sqlite; DATA)
  --seed N        repeatable run: ids, secrets and sealing follow from N, and time stands still until told to move
  --help          this text
`;

interface Settings {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly seed: number | undefined;
}

/** Where the clock stands in a seeded run (D54). */
const seededStart = Date.UTC(2025, 9, 13);

const log: Log = {
  info: (line) => console.log(line),
  error: (line, facts) => console.error(`${line} ${JSON.stringify(facts)}`),
};

/** One clear line, and nothing half started. */
function giveUp(reason: string): never {
  console.error(reason);
  process.exit(1);
}

function readSettings(): Settings {
  const options = {
    port: { type: 'string', default: process.env['PORT'] ?? '4010' },
    host: { type: 'string', default: process.env['HOST'] ?? '127.0.0.1' },
    data: { type: 'string', default: process.env['DATA'] ?? 'data/sandbox.sqlite' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ options, allowPositionals: false }));
  } catch (error) {
    giveUp(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  return {
    port: wholeNumber('--port', values.port, 65_535),
    host: values.host,
    data: values.data,
    seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed, Number.MAX_SAFE_INTEGER),
  };
}

function wholeNumber(flag: string, text: string, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maximum)
    giveUp(`${flag} takes a whole number from 0 to ${maximum}, not "${text}".`);
  return value;
}

async function main(): Promise<void> {
  const { port, host, data, seed } = readSettings();
  if (data !== ':memory:') mkdirSync(dirname(data), { recursive: true });
  const store = await openSqlite(data).catch((error: Error) =>
    giveUp(`Can't use ${data} as the data file: ${error.message}.`),
  );
  const app = await createSandbox({
    store,
    clock: systemClock,
    chance: seed === undefined ? systemChance : seededChance(seed),
    log,
    ...(seed === undefined ? {} : { frozenAt: seededStart }),
  });
  const server = await listen(app, host, port).catch(async (error: NodeJS.ErrnoException) => {
    await store.close();
    giveUp(
      error.code === 'EADDRINUSE'
        ? `Port ${port} is taken. Stop what runs there, or start with --port ${port + 1} (0 for any free port).`
        : `Can't listen on ${host}:${port}: ${error.message}.`,
    );
  });
  const base = server.address + basePath;
  const user = `${defaultPlatform.clientId}:${defaultPlatform.clientSecret}`;
  log.info(`
Countersign sandbox is ready at ${base}

  credentials   ${user}   (HTTP Basic)
  try           curl -u ${user} ${base}/customers
  data          ${data === ':memory:' ? 'in memory, gone when it stops' : data}
  contract      generated/openapi.json; the guide is README.md
`);
  const stop = (signal: string): void => {
    log.info(`${signal}: finishing what is in flight`);
    void server
      .stop()
      .then(() => store.close())
      .then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

await main();
