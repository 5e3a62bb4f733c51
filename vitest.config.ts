import { defineConfig } from 'vitest/config';

// What runs on every engine: the store itself, and behind HTTP the domains with the most to keep.
const onEveryEngine = ['store', 'auth', 'quotes', 'transfers', 'agents'].map((folder) => `test/${folder}/**/*.test.ts`);
// What needs a PostgreSQL to say anything.
const onPostgres = ['test/store/processes.test.ts', 'test/store/postgres.test.ts', 'test/crash/postgres.test.ts'];
// What looks at how SQLite goes about it, and what asks no engine for anything of its own.
const onSqlite = [
  'test/store/{lists,damage,groupCommit}.test.ts',
  'test/quotes/amounts.test.ts',
  'test/**/rules.test.ts',
];

export default defineConfig({
  test: {
    // Each file gets its own process: a sandbox that leaks a handle or a global cannot reach another file's tests.
    pool: 'forks',
    maxWorkers: 2,
    // No test waits for time to pass; the bound is for one that hangs, on a machine that may be busy.
    testTimeout: 60_000,
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      { extends: true, test: { name: 'sqlite', include: ['test/**/*.test.ts'], exclude: onPostgres } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...onEveryEngine, 'test/crash/{killed,postgres}.test.ts'],
          exclude: onSqlite,
          globalSetup: './test/support/postgresServer.ts',
        },
      },
    ],
  },
});
