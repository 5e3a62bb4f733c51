import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Each file gets its own process: a sandbox that leaks a handle or a global cannot reach another file's tests.
    pool: 'forks',
    maxWorkers: 2,
    // No test waits for time to pass; the bound is for one that hangs, on a machine that may be busy.
    testTimeout: 60_000,
    reporters: ['default', './test/support/reporter.ts'],
  },
});
