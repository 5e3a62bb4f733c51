/**
 * Promise: a process that is killed at any time loses nothing that it acknowledged, to the byte, and leaves nothing
 * half done or done twice, even if it is killed while it makes its world.
 *
 * COUNTERSIGN_ROUNDS=100 kills it 100 times. COUNTERSIGN_SEED=N repeats the moments, as far as the machine allows.
 */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { run, type StartedSandbox, startSandbox } from '../support/process/process.ts';
import { type Random, randomFrom } from '../support/requests/random.ts';
import { byLength } from '../support/run/length.ts';
import { seed } from '../support/run/seed.ts';
import { engine, makeDatabase, makePlaceFlags } from '../support/sandbox/database.ts';
import { examine } from './examine.ts';
import { someMoment } from './firstStart.ts';
import { ask, openPayer, type Payer, step } from './payer.ts';
import { clients, isLong, rounds, turns } from './settings.ts';

const timeout = 60_000 + rounds * 15_000;

/** Lets the payers work until the process is killed at a random time. Returns how many steps were answered. */
async function workUntilKilled(sandbox: StartedSandbox, payers: readonly Payer[], random: Random): Promise<number> {
  let answered = 0;
  const aim = 10 + random.below(120);
  const jitter = random.below(40);
  const work = async (payer: Payer): Promise<void> => {
    for (;;) {
      await step(sandbox.base, payer);
      answered += 1;
      if (answered === aim) void turns(jitter).then(() => sandbox.child.kill('SIGKILL'));
    }
  };
  const ends = await Promise.allSettled(payers.map(work));
  expect(await sandbox.exit).toBe('SIGKILL');
  // Each payer stopped because of the broken connection, not because of an unexpected answer.
  for (const end of ends) expect((end as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
  return answered;
}

it(`killed in the middle of its work, ${rounds} times, nothing acknowledged is lost (seed ${seed})`, {
  timeout,
}, async () => {
  const random = randomFrom(seed);
  const place = await makePlaceFlags();
  let sandbox = await startSandbox(place);
  const { base } = sandbox;
  const payers = await Promise.all(
    Array.from({ length: clients }, (_, number) => openPayer(base, number, randomFrom(seed + number + 1))),
  );
  const restarts: number[] = [];
  let answered = 0;
  for (let round = 0; round < rounds; round += 1) {
    answered += await workUntilKilled(sandbox, payers, random);
    const killedAt = performance.now();
    sandbox = await startSandbox(place);
    expect((await ask(sandbox.base, 'GET', '/customers?limit=1')).status).toBe(200);
    restarts.push(performance.now() - killedAt);
    if (round < rounds - 1) await examine(sandbox.base, payers);
  }
  const compared = await examine(sandbox.base, payers, true);
  sandbox.child.kill('SIGTERM');
  expect(await sandbox.exit).toBe(0);
  expectSoundFile(place);
  report(restarts, `${rounds} kills, ${answered} steps answered, ${compared} replies compared, none lost`);
});

function expectSoundFile([flag, file = '']: readonly string[]): void {
  if (flag !== '--data') return;
  const database = new DatabaseSync(file);
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
}

/**
 * Compares the time of a restart with a limit, but only in a long run. A short run shares its machine with other tests.
 */
function report(restarts: number[], facts: string): void {
  if (!isLong) return;
  const [median = 0, longest = 0] = [restarts.toSorted((a, b) => a - b)[restarts.length >> 1], Math.max(...restarts)];
  console.log(`${facts}; restart to first answer ${Math.round(median)} ms (median), ${Math.round(longest)} ms at most`);
  expect(longest).toBeLessThan(5000);
}

it.each(byLength([], ['for the first time']))(
  `killed while it starts %s, it makes its world whole later (seed ${seed})`,
  {
    timeout,
  },
  async () => {
    const random = randomFrom(seed);
    for (let round = 0; round < Math.min(rounds, 20); round += 1) {
      const place = await makeEmptyPlace();
      const first = run('cli/countersign.mjs', ['start', '--port', '0', ...place]);
      let isOver = false;
      void first.waitFor(/ready at/).then(
        () => (isOver = true),
        () => (isOver = true),
      );
      await someMoment(place, random, () => isOver);
      first.child.kill('SIGKILL');
      expect([await first.exit, first.output()]).toEqual(['SIGKILL', expect.not.stringMatching(/Error|Can't/)]);
      const { base, child, exit } = await startSandbox(place);
      const customers = await ask(base, 'GET', '/customers');
      const accounts = await ask(base, 'GET', '/customers/internal-accounts');
      expect([customers.body.totalCount, accounts.body.totalCount]).toEqual([2, 6]);
      const ledger = await ask(base, 'GET', '/__sandbox/ledger');
      expect([ledger.body.faults, ledger.body.sound]).toEqual([[], true]);
      child.kill('SIGTERM');
      expect(await exit).toBe(0);
    }
  },
);

/** Without even the tables, which the first start makes. */
async function makeEmptyPlace(): Promise<string[]> {
  return engine() === 'SQLite' ? makePlaceFlags() : ['--database', await makeDatabase({ empty: true })];
}
