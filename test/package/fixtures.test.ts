/**
 * Promise: the fixtures give each test its own platform in one sandbox, with its client, clock, codes and signIn, and
 * delete it after the test. Workers that share a sandbox don't see each other's platforms. fixtures.long.test.ts tests
 * Playwright's fixtures and the packed package.
 */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test as plain,
  vi,
} from 'vitest';
import { openWorkerSandbox, type WorkerSandbox } from '../../package/fixtures.ts';
import { type PlatformFixtures, usePlatform } from '../../package/jest.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { test } from '../../package/vitest.ts';
import { data } from '../support/sandbox/harness.ts';

const ada = { customerType: 'INDIVIDUAL', email: 'ada@example.com' } as const;
const count = async ({ client }: Pick<PlatformFixtures, 'client'>) => data(await client.GET('/customers')).totalCount;
/** Requests the keys of a platform's issuer, which are public. */
const statusOf = async ({ url, fetch }: WorkerSandbox, platformId: string) =>
  (await fetch(new Request(new URL(`/__sandbox/oidc/${platformId}/jwks`, url)))).status;

describe("Vitest's test", () => {
  const had = new Map<string, WorkerSandbox>();
  afterAll(async () => {
    expect(had.size).toBe(2);
    for (const [platformId, sandbox] of had) expect(await statusOf(sandbox, platformId)).toBe(404);
  });

  test.for([1, 2])(
    'has a platform of its own until its end (%i)',
    async (_time, { platform, sandbox, client, clock, codes }) => {
      expect(had.has(platform.platformId)).toBe(false);
      had.set(platform.platformId, sandbox);
      expect(await statusOf(sandbox, platform.platformId)).toBe(200);
      expect(await count({ client })).toBe(0);
      data(await client.POST('/customers', { body: ada }));
      expect((await clock.freeze()).frozen).toBe(true);
      expect(await codes()).toBe('000000');
    },
  );

  describe('made as the options say', () => {
    test.override({ platformOptions: { proofs: 'real', world: 'ready-made' } });

    test('with its proofs and its world, and a test may end it', async ({ platform, client, signIn, codes }) => {
      expect([platform.proofs, await count({ client })]).toEqual(['real', 2]);
      const { customer, signer } = await signIn();
      expect(await codes({ to: customer.email })).toMatch(/^\d{6}$/);
      expect(await signer('anything')).not.toBe('sandbox-valid-signature');
      await platform.close();
    });
  });
});

describe("Jest's hooks", () => {
  const stub = () => {
    for (const [name, hook] of Object.entries({ beforeAll, beforeEach, afterEach, afterAll }))
      vi.stubGlobal(name, hook);
  };
  stub();
  const app = usePlatform({ proofs: 'real' });
  const platforms: string[] = [];

  plain.for([1, 2])('give each test a platform of its own (%i)', async () => {
    expect(platforms).not.toContain(app.platform.platformId);
    platforms.push(app.platform.platformId);
    expect(await count(app)).toBe(0);
    const { wallet } = await app.signIn();
    expect(await app.codes({ accountId: wallet.id })).toMatch(/^\d{6}$/);
    expect((await app.control.clock.freeze()).frozen).toBe(true);
    expect(await app.clock.get()).toMatchObject({ frozen: true });
  });

  plain('without them it says what it needs, and outside of a test too', () => {
    vi.unstubAllGlobals();
    expect(() => usePlatform()).toThrow("usePlatform() needs Jest's beforeAll as a global");
    const none = vi.fn();
    for (const name of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']) vi.stubGlobal(name, none);
    expect(() => usePlatform().client).toThrow('There is a platform only while a test runs');
  });
});

describe('a sandbox that workers share', () => {
  plain('is the one that is named, by the option or the environment, and each has platforms of its own', async () => {
    const sandbox = await createSandbox({ controlToken: 'let-me-in' });
    onTestFinished(() => sandbox.close());
    const url = await sandbox.listen();
    const named = await openWorkerSandbox({ sandboxUrl: url, controlToken: 'let-me-in' });
    vi.stubEnv('COUNTERSIGN_URL', new URL(url).origin);
    vi.stubEnv('CONTROL_TOKEN', 'let-me-in');
    const workers = [named, await openWorkerSandbox()];
    expect(workers.map((worker) => worker.url)).toEqual([url, url]);
    const platforms = await Promise.all(workers.map((worker) => worker.platform()));
    data(await platforms[0]!.client().POST('/customers', { body: ada }));
    expect(await Promise.all(platforms.map(({ client }) => count({ client: client() })))).toEqual([1, 0]);
    for (const worker of workers) await worker.close();
    expect(data(await sandbox.client().GET('/customers')).totalCount).toBe(2);
  });

  plain('says so before the first test if none is there', async () => {
    await expect(openWorkerSandbox({ sandboxUrl: 'http://localhost:1' })).rejects.toThrow(
      /http:\/\/localhost:1\/__sandbox\/health got no answer: .*Start a sandbox there/,
    );
  });
});
