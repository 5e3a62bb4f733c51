/** Replaces the app's relay in these tests: a sandbox with state, behind Mock Service Worker. */
import { createHandlers } from 'countersign/msw';
import { createSandbox } from 'countersign/sandbox';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { baseUrl } from '../src/service.ts';

const sandbox = await createSandbox();
/** Adds the token to the page's calls, like the relay. */
const relay = {
  url: sandbox.url,
  fetch(request: Request) {
    request.headers.set('Authorization', `Basic ${btoa('sandbox:sandbox')}`);
    return sandbox.fetch(request);
  },
};
const server = setupServer(...createHandlers(relay, { baseUrl }));

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => sandbox.reset());
afterAll(async () => {
  server.close();
  await sandbox.close();
});

/** A client with the platform's credentials, to prepare what a component shows. */
export const platform = sandbox.client();
/** Controls the sandbox's clock, faults and more. */
export const { control } = sandbox;
