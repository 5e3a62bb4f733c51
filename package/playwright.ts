/** Playwright's `test`, with a platform for each test, which answers what the pages under test send to the service. */
import {
  type BrowserContext,
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type Route,
  type TestType,
} from '@playwright/test';
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import {
  endPlatform,
  fixturesOf,
  openWorkerSandbox,
  type PlatformFixtures,
  type SandboxPlace,
  type WorkerSandbox,
} from './fixtures.ts';

export { expect } from '@playwright/test';
export type { PlatformFixtures, WorkerSandbox } from './fixtures.ts';

/** What `test.use()`, or `use` of the configuration, sets for tests. */
export interface PlatformTestOptions {
  /** How the platform of a test is made. Empty and in magic proofs if absent. */
  platformOptions: PlatformCreateRequest;
  /**
   * The address that the pages call, of the service or of the relay before it: `https://api.example.com/v1`. The test's
   * platform answers every request below it, with its own credentials. If absent, pages reach what they call.
   */
  serviceUrl: string | undefined;
}

/** What `use` of the configuration sets for workers. */
export type PlatformWorkerOptions = { readonly [Name in keyof SandboxPlace]-?: SandboxPlace[Name] };

/** The fixtures of a worker. */
export interface SandboxFixture {
  /** The sandbox of the worker, or the one that `sandboxUrl` or `COUNTERSIGN_URL` names. */
  sandbox: WorkerSandbox;
}

type Test = TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & PlatformTestOptions & PlatformFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & PlatformWorkerOptions & SandboxFixture
>;

/** Playwright's own, with the fixtures: `test('…', async ({ page, signIn, clock }) => {})`. */
export const test: Test = base.extend<PlatformTestOptions & PlatformFixtures, PlatformWorkerOptions & SandboxFixture>({
  sandboxUrl: [undefined, { option: true, scope: 'worker' }],
  controlToken: [undefined, { option: true, scope: 'worker' }],
  sandbox: [
    async ({ sandboxUrl, controlToken }, use) => {
      const sandbox = await openWorkerSandbox({ sandboxUrl, controlToken });
      await use(sandbox);
      await sandbox.close();
    },
    { scope: 'worker' },
  ],
  platformOptions: [{}, { option: true }],
  serviceUrl: [undefined, { option: true }],
  platform: async ({ sandbox, platformOptions }, use, testInfo) => {
    const platform = await sandbox.platform(platformOptions);
    await use(platform);
    if (testInfo.status !== testInfo.expectedStatus) {
      // What was said, for the report; a test may have ended its platform.
      const har = await platform.control.journal.har().catch(() => undefined);
      if (har !== undefined) {
        await testInfo.attach('countersign.har', { body: JSON.stringify(har), contentType: 'application/json' });
      }
    }
    await endPlatform(platform);
  },
  context: async ({ context, serviceUrl, sandbox, platform }, use) => {
    if (serviceUrl !== undefined) await answerFrom(context, serviceUrl, { sandbox, platform });
    await use(context);
  },
  client: async ({ platform }, use) => use(fixturesOf(platform).client),
  control: async ({ platform }, use) => use(platform.control),
  clock: async ({ platform }, use) => use(platform.control.clock),
  codes: async ({ platform }, use) => use(fixturesOf(platform).codes),
  signIn: async ({ platform }, use) => use(fixturesOf(platform).signIn),
});

type Answering = Pick<SandboxFixture, 'sandbox'> & Pick<PlatformFixtures, 'platform'>;

/** Has a platform answer what the pages of a context send below an address. */
async function answerFrom(context: BrowserContext, serviceUrl: string, answering: Answering): Promise<void> {
  const below = `${serviceUrl.replace(/[/]+$/, '')}/`;
  await context.route(
    ({ href }) => href.startsWith(below),
    (route) => answer(route, below, answering),
  );
}

/** Headers of a browser's connection to somebody else. */
const ofConnection = /^(?::.*|host|connection|content-length|origin|referer|cookie|accept-encoding|sec-.*)$/;
/** What no longer holds of a body that was read. */
const ofEncoding = ['content-encoding', 'content-length', 'transfer-encoding'];

async function answer(route: Route, below: string, { sandbox, platform }: Answering): Promise<void> {
  const asked = route.request();
  const sent = Object.entries(await asked.allHeaders()).filter(([name]) => !ofConnection.test(name));
  const headers = new Headers(sent);
  // As a relay does; an agent has a token of its own.
  if (!/^bearer /i.test(headers.get('authorization') ?? '')) {
    const { clientId, clientSecret } = platform.credentials;
    headers.set('Authorization', `Basic ${btoa(`${clientId}:${clientSecret}`)}`);
  }
  const body = asked.postDataBuffer();
  const url = `${platform.url}/${asked.url().slice(below.length)}`;
  const request = new Request(url, { method: asked.method(), headers, ...(body && { body: new Uint8Array(body) }) });
  try {
    const response = await sandbox.fetch(request);
    const received = [...response.headers].filter(([name]) => !ofEncoding.includes(name));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(received),
      body: Buffer.from(await response.arrayBuffer()),
    });
  } catch {
    // A planted fault drops the connection.
    await route.abort('connectionreset');
  }
}
