/** `npm run bench`: the sandbox, raw `node:http` and Prism under the same load in one run. See README.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../scripts/lib/project.ts';
import { benchLists } from './lists.ts';
import { load } from './load.ts';
import { loadTable, machineFacts, measureSync, type Series, startTable } from './report.ts';
import { type BenchRequest, prepareWorld, record } from './requests.ts';
import { killServers, type RunningServer, startServer } from './servers.ts';

const usage = `Usage: npm run bench -- [options]

  --quick         one short round: about 20 s, for a first impression
  --only A,B      only these of the servers: raw, sandbox, memory, prism
  --record        also writes the result to test/bench/last-run.md
  --lists         instead: lists of external accounts, with 1,000 and with 1,000,000 of them
  --help          this text
`;

const full = { rounds: 3, warmUpSeconds: 1, seconds: 3, starts: 5 };
const quick = { rounds: 1, warmUpSeconds: 0.3, seconds: 0.7, starts: 1 };

const serverNames = ['raw', 'sandbox', 'memory', 'prism'] as const;
type ServerName = (typeof serverNames)[number];

const sandboxScript = 'mocks/sandbox/start.mjs';
const rawScript = fileURLToPath(new URL('./raw.ts', import.meta.url));
const recordFile = join(projectRoot, 'test', 'bench', 'last-run.md');

function readSettings() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: serverNames.join(',') },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only.split(',');
  const unknown = only.find((name) => !serverNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only takes ${serverNames.join(', ')}; "${unknown}" is none of them`);
  const partial = values.quick || only.length < serverNames.length;
  if (values.record && partial) throw new Error('--record keeps a whole run: leave out --quick and --only');
  return { ...values, names: serverNames.filter((name) => only.includes(name)), size: values.quick ? quick : full };
}

async function measureStarts(folder: string, count: number): Promise<Record<string, number[]>> {
  const existing = join(folder, 'start-0.sqlite');
  const starts: Record<string, number[]> = { 'sandbox, new data file': [], 'sandbox, existing data file': [] };
  for (const [kind, times] of Object.entries(starts)) {
    for (let number = 0; number < count; number += 1) {
      const file = kind.includes('new') ? join(folder, `start-${number}.sqlite`) : existing;
      const server = await startServer([sandboxScript, '--port', '0', '--data', file]);
      await server.stop();
      times.push(server.readyMs);
    }
    console.log(`${kind}: ready after ${times.map(Math.round).join(', ')} ms`);
  }
  return starts;
}

interface Target {
  readonly name: ServerName;
  readonly server: RunningServer;
  readonly requests: readonly BenchRequest[];
}

/** Starts the servers. The file sandbox always runs: the raw server's bytes are recorded from it. */
async function startTargets(folder: string, names: readonly ServerName[]): Promise<Target[]> {
  const start = async (...args: string[]): Promise<RunningServer> => {
    const server = await startServer(args);
    console.log(`${args[0]} is ready at ${server.origin} after ${Math.round(server.readyMs)} ms`);
    return server;
  };
  const data = join(folder, 'load.sqlite');
  const sandbox = await start(sandboxScript, '--port', '0', '--data', data);
  const requests = await prepareWorld(sandbox.origin);
  const makers: Record<ServerName, () => Promise<Omit<Target, 'name'>>> = {
    raw: async () => ({ server: await startRaw(folder, sandbox.origin, requests, start), requests }),
    sandbox: async () => ({ server: sandbox, requests }),
    memory: async () => {
      const inMemory = await start(sandboxScript, '--port', '0', '--data', ':memory:');
      return { server: inMemory, requests: await prepareWorld(inMemory.origin) };
    },
    prism: async () => ({ server: await start('mocks/prism/start.mjs', '--port', '0'), requests }),
  };
  const targets: Target[] = [];
  for (const name of names) targets.push({ name, ...(await makers[name]()) });
  return targets;
}

async function startRaw(
  folder: string,
  origin: string,
  requests: readonly BenchRequest[],
  start: (...args: string[]) => Promise<RunningServer>,
): Promise<RunningServer> {
  const file = join(folder, 'replies.json');
  const replies = [];
  for (const asked of requests) replies.push({ asked, reply: await record(origin, asked) });
  writeFileSync(file, JSON.stringify(replies));
  const raw = await start(rawScript, file);
  // Only the same bytes make it a yardstick.
  for (const { asked, reply } of replies) deepStrictEqual(await record(raw.origin, asked), reply);
  return raw;
}

/** Every round goes through all servers, each time beginning with another one, so that drift of the machine hits all alike. */
async function measureLoad(targets: readonly Target[], size: typeof full): Promise<Series[]> {
  const operationIds = targets[0]?.requests.map((request) => request.operationId) ?? [];
  const series = operationIds.flatMap((operationId) =>
    targets.map(({ name }) => ({ operationId, server: name, rounds: [] as Series['rounds'][number][] })),
  );
  for (let round = 0; round < size.rounds; round += 1) {
    for (const [index, operationId] of operationIds.entries()) {
      for (let step = 0; step < targets.length; step += 1) {
        const target = targets[(round + step) % targets.length] as Target;
        const asked = target.requests[index] as BenchRequest;
        const warmUp = await load(target.server, asked, size.warmUpSeconds);
        const measured = await load(target.server, asked, size.seconds);
        const failure = warmUp.failure ?? measured.failure;
        const speed = `${Math.round(measured.requestsPerSecond)} req/s`;
        console.log(
          `round ${round + 1} of ${size.rounds}  ${operationId}  ${target.name}  ${speed}${failure === undefined ? '' : `  FAILED: ${failure}`}`,
        );
        series
          .find((one) => one.operationId === operationId && one.server === target.name)
          ?.rounds.push({ ...measured, ...(failure === undefined ? {} : { failure }) });
      }
    }
  }
  return series;
}

async function main(folder: string): Promise<void> {
  const settings = readSettings();
  if (settings.help) {
    console.log(usage);
    return;
  }
  const startedAt = new Date();
  const syncMs = measureSync(join(folder, 'sync'));
  const starts = await measureStarts(folder, settings.size.starts);
  const series = await measureLoad(await startTargets(folder, settings.names), settings.size);
  const result = [
    loadTable(series, ['raw', 'prism']),
    startTable(starts),
    machineFacts(syncMs, series)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  ].join('\n\n');
  console.log(`\n${result}`);

  const failed = series.flatMap(({ operationId, server, rounds }) =>
    rounds.flatMap(({ failure }) => (failure === undefined ? [] : [`${operationId} on ${server}: ${failure}`])),
  );
  if (failed.length > 0) throw new Error(`Not every answer was a success:\n${failed.join('\n')}`);
  if (settings.record) {
    writeFileSync(
      recordFile,
      `# Last recorded run\n\n${startedAt.toISOString()}, by \`npm run bench -- --record\`.\n\n${result}\n`,
    );
    console.log(`\nRecorded in ${recordFile}`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
process.once('exit', () => {
  killServers();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  const args = process.argv.slice(2);
  if (args.includes('--lists')) await benchLists(args.filter((arg) => arg !== '--lists'));
  else await main(folder);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
