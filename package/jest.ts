/**
 * A platform for each test, in frameworks with hooks but without fixtures: Jest, Mocha with hooks of the same names,
 * and others.
 */
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import {
  endPlatform,
  fixturesOf,
  openWorkerSandbox,
  type PlatformFixtures,
  type SandboxPlace,
  type WorkerSandbox,
} from './fixtures.ts';

export type { PlatformFixtures } from './fixtures.ts';

/** The globals that Jest provides in a test file. */
interface Hooks {
  beforeAll(work: () => Promise<void>): void;
  beforeEach(work: () => Promise<void>): void;
  afterEach(work: () => Promise<void>): void;
  afterAll(work: () => Promise<void>): void;
}

/** How and where the platforms are made. */
export interface UsePlatformOptions extends PlatformCreateRequest, SandboxPlace {}

/**
 * Gives each test of the file, or of the `describe` that calls it, its own platform. Call it where hooks may be set.
 * @returns the fixtures of the running test: `const app = usePlatform(); test('…', async () => { await
 * app.client.GET('/customers') })`
 * @throws Error if the hooks aren't globals. The members of the result throw while no test runs.
 */
export function usePlatform({ sandboxUrl, controlToken, ...request }: UsePlatformOptions = {}): PlatformFixtures {
  const { beforeAll, beforeEach, afterEach, afterAll } = findHooks();
  let sandbox: WorkerSandbox | undefined;
  let current: PlatformFixtures | undefined;
  beforeAll(async () => {
    sandbox = await openWorkerSandbox({ sandboxUrl, controlToken });
  });
  beforeEach(async () => {
    const platform = await sandbox?.platform(request);
    current = platform && fixturesOf(platform);
  });
  afterEach(async () => {
    const ended = current;
    current = undefined;
    if (ended !== undefined) await endPlatform(ended.platform);
  });
  afterAll(async () => sandbox?.close());
  const now = (): PlatformFixtures => {
    if (current !== undefined) return current;
    throw new Error('There is a platform only while a test runs: use it in test(), beforeEach() or afterEach().');
  };
  return {
    get platform() {
      return now().platform;
    },
    get client() {
      return now().client;
    },
    get control() {
      return now().control;
    },
    get clock() {
      return now().clock;
    },
    codes: (wanted) => now().codes(wanted),
    signIn: (options) => now().signIn(options),
  };
}

function findHooks(): Hooks {
  const hooks = globalThis as unknown as Partial<Hooks>;
  for (const name of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'] as const) {
    if (typeof hooks[name] !== 'function') {
      throw new Error(
        `usePlatform() needs Jest's ${name} as a global: call it in a test file, with "injectGlobals" on, or assign those of @jest/globals to globalThis.`,
      );
    }
  }
  return hooks as Hooks;
}
