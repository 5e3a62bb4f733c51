/**
 * Promise: if PostgreSQL itself is killed, the sandbox answers 503 in the contract's error shape while it is down. When
 * it is back, the sandbox works again without a restart, and has everything that it acknowledged.
 */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { startSandbox } from '../support/process/process.ts';
import { randomFrom } from '../support/requests/random.ts';
import { seed } from '../support/run/seed.ts';
import { startPostgres } from '../support/sandbox/postgresServer.ts';
import { examine } from './examine.ts';
import { ask, openPayer, type Payer, Refused, step } from './payer.ts';
import { clients, rounds, turns } from './settings.ts';

/** A server with safe commits, which is the default outside of tests. */
async function openServer() {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query('alter database postgres set synchronous_commit = on');
  await client.end();
  return server;
}

test(`the server is killed ${rounds} times under load (seed ${seed})`, {
  timeout: 60_000 + rounds * 15_000,
}, async () => {
  const random = randomFrom(seed);
  const server = await openServer();
  const { base, child, exit } = await startSandbox(['--database', server.url]);
  const payers = await Promise.all(
    Array.from({ length: clients }, (_, number) => openPayer(base, number, randomFrom(seed + number + 1))),
  );
  for (let round = 0; round < rounds; round += 1) {
    const aim = 10 + random.below(100);
    const jitter = random.below(40);
    let answered = 0;
    let crash: ReturnType<typeof server.crash> | undefined;
    const work = async (payer: Payer): Promise<void> => {
      for (;;) {
        await step(base, payer);
        answered += 1;
        if (answered === aim) crash = turns(jitter).then(() => server.crash());
      }
    };
    const ends = await Promise.allSettled(payers.map(work));
    for (const end of ends) expect((end as PromiseRejectedResult).reason).toBeInstanceOf(Refused);
    const down = await crash;
    for (const path of ['/customers', '/transactions?limit=1']) {
      expectRefusal(await ask(base, 'GET', path), 503, 'STORAGE_UNAVAILABLE');
    }
    await down?.restart();
    if (round < rounds - 1) await examine(base, payers);
  }
  await examine(base, payers, true);
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});
