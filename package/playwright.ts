/** Playwright's `test` with a platform for each test. The platform answers the requests of the pages to the service. */
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

/** What `test.use()`, or `use` in the configuration, sets for tests. */
export interface PlatformTestOptions {
  /** How the platform of a test is made. If absent, it is empty and has magic proofs. */
  platformOptions: PlatformCreateRequest;
  /**
   * The service's address that the pages call, or the address of the relay in front of it:
   * `https://api.example.com/v1`. The test's platform answers every request below it, with the platform's credentials.
   * If absent, requests go out as usual.
   */
  serviceUrl: string | undefined;
}

/** What `use` in the configuration sets for workers. */
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

/** Playwright's own `test` with the fixtures: `test('…', async ({ page, signIn, clock }) => {})`. */
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
      // Attaches the exchanges to the report. A test may already have ended its platform.
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

/** Lets a platform answer the requests of a context's pages below an address. */
async function answerFrom(context: BrowserContext, serviceUrl: string, answering: Answering): Promise<void> {
  const below = `${serviceUrl.replace(/[/]+$/, '')}/`;
  await context.route(
    ({ href }) => href.startsWith(below),
    (route) => answer(route, below, answering),
  );
}

/** Headers that belong to the browser's own connection. */
const ofConnection = /^(?::.*|host|connection|content-length|origin|referer|cookie|accept-encoding|sec-.*)$/;
/** Headers that are wrong once the body was read. */
const ofEncoding = ['content-encoding', 'content-length', 'transfer-encoding'];

async function answer(route: Route, below: string, { sandbox, platform }: Answering): Promise<void> {
  const asked = route.request();
  const sent = Object.entries(await asked.allHeaders()).filter(([name]) => !ofConnection.test(name));
  const headers = new Headers(sent);
  // Adds the platform's credentials, as a relay does. An agent has its own token.
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
    // A planted fault dropped the connection.
    await route.abort('connectionreset');
  }
}
