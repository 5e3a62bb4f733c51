/** Vitest's `test`, with a platform for each test. */
import { test as base, type TestAPI } from 'vitest';
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import { endPlatform, fixturesOf, openWorkerSandbox, type PlatformFixtures, type WorkerSandbox } from './fixtures.ts';

export type { PlatformFixtures, WorkerSandbox } from './fixtures.ts';

/** The fixtures in the context of a test. */
export interface VitestFixtures extends PlatformFixtures {
  /** The sandbox of the worker, or the one that `COUNTERSIGN_URL` names. */
  readonly sandbox: WorkerSandbox;
  /** How the platform of a test is made: `test.override({ platformOptions: { proofs: 'real' } })`. */
  readonly platformOptions: PlatformCreateRequest;
}

/** Vitest's own `test`, with the fixtures in its context: `test('…', async ({ client, signIn }) => {})`. */
export const test: TestAPI<VitestFixtures> = base.extend<VitestFixtures>({
  sandbox: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture uses
    async ({}, use) => {
      const sandbox = await openWorkerSandbox();
      await use(sandbox);
      await sandbox.close();
    },
    { scope: 'worker' },
  ],
  platformOptions: {},
  platform: async ({ sandbox, platformOptions }, use) => {
    const platform = await sandbox.platform(platformOptions);
    await use(platform);
    await endPlatform(platform);
  },
  client: async ({ platform }, use) => use(fixturesOf(platform).client),
  control: async ({ platform }, use) => use(platform.control),
  clock: async ({ platform }, use) => use(platform.control.clock),
  codes: async ({ platform }, use) => use(fixturesOf(platform).codes),
  signIn: async ({ platform }, use) => use(fixturesOf(platform).signIn),
}) as unknown as TestAPI<VitestFixtures>;
