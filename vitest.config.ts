import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLongRun } from './test/support/run/length.ts';
import { sortTestFiles } from './test/support/run/projects.ts';
import { seed } from './test/support/run/seed.ts';
import { findPgBouncer } from './test/support/sandbox/pgbouncerProgram.ts';

const files = sortTestFiles(import.meta.dirname, { isEverything: isLongRun });
// The long run shows that no test needs another one, before it or in the same process.
const isolate = isLongRun;
// Thousands of short-lived sandboxes: with little room for the young, a tenth of the time goes into collecting them.
// Most code runs a few times only, so a quick compiler at once saves another tenth.
const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--always-sparkplug'];
// An isolated file starts a process, and many tests start more: each loads what others have compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
// The long run tests it where the machine has a PgBouncer; elsewhere the end of that run says that it was left out
// (test/support/run/reporter.ts).
const isPooled = isLongRun && findPgBouncer() !== undefined;
const withoutProgram = isPooled ? [] : ['test/store/pgbouncer.test.ts'];

export default defineConfig({
  test: {
    // With threads the same takes longer.
    pool: 'forks',
    maxWorkers: 2,
    // No test waits for time to pass; the bound is for one that hangs, on a machine that may be busy.
    // At full length a test that makes the site twice took 73 s on a busy machine.
    testTimeout: isLongRun ? 180_000 : 60_000,
    hookTimeout: isLongRun ? 180_000 : 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { seed, shuffle: isLongRun },
    env: { COUNTERSIGN_SEED: String(seed) },
    setupFiles: './test/support/run/properties.ts',
    reporters: ['default', './test/support/run/reporter.ts'],
    projects: [
      { extends: true, test: { name: 'in-process', include: [...files.inProcess], isolate, execArgv } },
      { extends: true, test: { name: 'processes', include: [...files.processes], isolate } },
      // What starts a thread, measures the heap or plants a fault in the engine.
      { extends: true, test: { name: 'alone', include: [...files.alone] } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...files.postgres],
          exclude: withoutProgram,
          isolate,
          execArgv,
          globalSetup: './test/support/sandbox/postgresServer.ts',
        },
      },
      // In the long run: against the sandbox in a page. Its files start nothing, so they share two workers.
      {
        extends: true,
        test: {
          name: 'chromium',
          include: [...files.chromium],
          execArgv,
          isolate: false,
          globalSetup: './test/support/browser/bridge.ts',
        },
      },
    ],
  },
});
