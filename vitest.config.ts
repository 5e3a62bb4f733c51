import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLongRun } from './test/support/run/length.ts';
import { sortTestFiles } from './test/support/run/projects.ts';
import { seed } from './test/support/run/seed.ts';
import { findPgBouncer } from './test/support/sandbox/pgbouncerProgram.ts';

const files = sortTestFiles(import.meta.dirname, { isEverything: isLongRun });
// The long run isolates files, to show that no test needs another one before it or in the same process.
const isolate = isLongRun;
// There are thousands of short-lived sandboxes. With V8's default young generation, a tenth of the time goes into garbage
// collection. Most code runs only a few times, so compiling it quickly at once saves another tenth.
const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--always-sparkplug'];
// Every isolated file, and many tests, start processes, which share compiled modules in this cache.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
// The long run tests behind PgBouncer if the machine has it. Otherwise the end of the run says that it was skipped
// (test/support/run/reporter.ts).
const isPooled = isLongRun && findPgBouncer() !== undefined;
const withoutProgram = isPooled ? [] : ['test/store/pgbouncer.test.ts'];

export default defineConfig({
  test: {
    // Threads take longer.
    pool: 'forks',
    maxWorkers: 2,
    // No test waits for time to pass. The limit ends a test that hangs, on a machine that may be busy. At full length a
    // test that builds the site twice took 73 s on a busy machine.
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
      // Files that start a thread, measure the heap or plant a fault in the engine.
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
      // In the long run: against the sandbox in a page. Its files start no processes, so they share two workers.
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
