/**
 * Promise: suites that run at the same time on one server don't affect each other. Each works on its own platform while
 * the others work on theirs, and every answer matches its own model. Any record, balance, clock or limit of another
 * platform would be a difference (D43).
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../support/process/fetchApp.ts';
import { byLength } from '../support/run/length.ts';
import { seed } from '../support/run/seed.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { describeReport, simulate } from './run.ts';
import { openShared } from './world.ts';

const steps = byLength(24, 1000);

test(`case 121: two suites of ${steps} steps, seeds 11 and ${seed}, on one server`, {
  timeout: 180_000,
}, async () => {
  const sandbox = await openShared(undefined, join(temporaryFolder(), 'data.sqlite'));
  const server = await listen(sandbox, '127.0.0.1', 0);
  const overPort = {
    fetch: (request: Request) =>
      fetch(new Request(server.address + new URL(request.url).pathname + new URL(request.url).search, request)),
    close: async () => {},
  };
  const run = (from: number) => simulate({ seed: from, steps, ledgerEvery: steps / 10, shrinkMs: 1, shared: overPort });
  const reports = await Promise.all([run(11), run(seed)]);
  await server.stop(0);
  await sandbox.close();
  for (const report of reports) expect(report.difference, describeReport(report)).toBeUndefined();
});
