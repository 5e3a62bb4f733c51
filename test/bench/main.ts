/** `npm run bench`: loads the sandbox, raw `node:http` and other mocks equally in one run. See README.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defineCommand, type Values } from '../../cli/command/command.ts';
import { asFinding, Finding } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { given } from '../../mocks/sandbox/tools/given.ts';
import { install } from '../support/process/install.ts';
import { measureApart } from './apart.ts';
import { judge } from './goals.ts';
import { benchInPage } from './inPage.ts';
import { keep } from './keep.ts';
import { benchLists } from './lists.ts';
import { currentCommit, describeMachine } from './machine.ts';
import { report } from './report.ts';
import { exchangeNames } from './requests.ts';
import { failuresOf, labelOf, type Memory, type Result, type Series } from './results.ts';
import type { Round } from './round.ts';
import { killServers } from './servers.ts';
import { benchFlags, readSettings, type Settings, shownCommand } from './settings.ts';
import { measureStarts } from './starts.ts';
import { startTargets, stopDatabases, type Target } from './targets.ts';

/** A series that grows with each round. */
interface Growing extends Series {
  readonly rounds: Round[];
}

function emptySeries(targets: readonly Target[]): Growing[] {
  return exchangeNames.flatMap((exchange) =>
    targets.flatMap(({ name, exchanges, notes }) => {
      const note = notes.get(exchange);
      if (!exchanges.includes(exchange) && note === undefined) return [];
      return [{ exchange, server: name, rounds: [], ...(note === undefined ? {} : { note }) }];
    }),
  );
}

/**
 * Every round measures all servers, each time starting with another one, so that drift of the machine affects all
 * equally.
 */
async function measureLoad(targets: readonly Target[], { rounds, seconds, many }: Settings): Promise<Series[]> {
  const series = emptySeries(targets);
  for (let round = 0; round < rounds; round += 1) {
    for (const exchange of exchangeNames) {
      for (let step = 0; step < targets.length; step += 1) {
        const target = targets[(round + step) % targets.length] as Target;
        if (!target.exchanges.includes(exchange)) continue;
        const warmUp = await target.load(exchange, seconds / 3);
        const measured = await target.load(exchange, seconds);
        const failure = warmUp.failure ?? measured.failure;
        const speed = `${Math.round(measured.requestsPerSecond)} req/s`;
        const outcome = failure === undefined ? speed : `${speed}  FAILED: ${failure}`;
        console.log(`round ${round + 1} of ${rounds}  ${labelOf(exchange, many)}  ${target.name}  ${outcome}`);
        series
          .find((one) => one.exchange === exchange && one.server === target.name)
          ?.rounds.push({ ...measured, ...(failure === undefined ? {} : { failure }) });
      }
    }
  }
  return series;
}

async function measure(settings: Settings, args: readonly string[], folder: string): Promise<Result> {
  const { names, many, sandboxFlags, restSeconds, starts: count, isQuick, isApart, beside } = settings;
  const facts = {
    startedAt: new Date().toISOString(),
    command: shownCommand(args),
    commit: currentCommit(),
    ...(beside === undefined ? {} : { beside: currentCommit(beside) }),
    machine: describeMachine(join(folder, 'sync')),
    many,
  };
  const apart =
    names.includes('sandbox') && isApart ? await measureApart(folder, { isQuick, sandboxFlags, beside }) : undefined;
  const starts = await measureStarts({ folder, count, sandboxFlags, names, restSeconds, beside });
  const targets = await startTargets({ folder, names, many, sandboxFlags, beside });
  const series = await measureLoad(targets, settings);
  // Wait first, because memory that is about to be freed isn't needed.
  await wait(restSeconds * 1000);
  const memory: Memory[] = targets.map(({ name, server }) => ({
    server: name,
    afterLoadBytes: server.residentBytes() ?? null,
  }));
  const measured = { starts, series, ...given({ apart }) };
  return { ...facts, ...measured, memory, goals: judge({ ...measured, many }) };
}

async function run(values: Values<typeof benchFlags>, typed: readonly string[], folder: string): Promise<void> {
  const settings = readSettings(values);
  if (settings.names.includes('scalar')) {
    await install(import.meta.dirname, () => console.log('installing what is compared (test/bench/package-lock.json)'));
  }
  const result = await measure(settings, typed, folder);
  console.log(`\n${report(result)}`);
  const failed = failuresOf(result.series);
  if (failed.length > 0) throw new Finding(`Not every answer was as it should be:\n${failed.join('\n')}`);
  if (!settings.record) return;
  for (const path of keep(result)) console.log(`  wrote ${path}`);
}

export const command = defineCommand({
  name: 'bench',
  call: 'npm run bench',
  script: 'bench',
  does: 'compare the speed of the sandbox with other servers',
  about: 'Loads the sandbox, raw node:http and other mocks equally in one run. See test/bench/README.md.',
  flags: benchFlags,
  examples: [
    ['--quick', 'a first impression'],
    ['--only sandbox,raw --rounds 1', 'two of the servers'],
  ],
  ends: 'Exit codes: 0 measured, 1 a server did not start or answered wrongly, 2 wrong use, 3 a fault of Countersign.',
  async run({ flags, typed }) {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
    process.once('exit', () => {
      killServers();
      rmSync(folder, { recursive: true, force: true });
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
    try {
      if (flags.page) await benchInPage();
      else if (flags.lists) await benchLists(flags);
      else await run(flags, typed, folder);
    } catch (error) {
      throw asFinding(error);
    } finally {
      await stopDatabases();
      // A running server would keep this process alive.
      killServers();
    }
    return 0;
  },
});

if (import.meta.main) await runScript(command);
