/** A test's own sandbox, in this process, with the app before it; and a browser whose user touches the passkey. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test as base, expect } from '@playwright/test';
import { createServiceClient } from 'countersign';
import { createControlClient } from 'countersign/control';
import { createSandbox } from 'countersign/sandbox';
import { createApp } from '../server/app.ts';

const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
const authorization = { Authorization: `Basic ${btoa('sandbox:sandbox')}` };

interface App {
  readonly url: string;
  /** The service as the platform sees it. */
  readonly service: ReturnType<typeof createServiceClient>;
  /** Clock, faults, settings and so on. */
  readonly control: ReturnType<typeof createControlClient>;
  readonly advance: (seconds: number) => Promise<void>;
}

export const test = base.extend<{ app: App; passkeys: undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures this one needs.
  app: async ({}, use, info) => {
    // Real proofs: attestations, assertions and signatures are checked as in production.
    const sandbox = await createSandbox({ proofs: 'real' });
    const { url: baseUrl, fetch } = sandbox;
    const service = createServiceClient({ baseUrl, credentials, fetch });
    const wallets = await service.GET('/customers/internal-accounts', {
      params: { query: { type: 'EMBEDDED_WALLET' } },
    });
    const accountId = wallets.data?.data[0]?.id ?? '';
    const server = createApp({ baseUrl, credentials, fetch, accountId }).listen(0, 'localhost');
    await once(server, 'listening');
    await use({
      url: `http://localhost:${(server.address() as AddressInfo).port}`,
      service,
      control: createControlClient({ baseUrl: new URL(baseUrl).origin, credentials, fetch }),
      advance: (seconds) => sandbox.advance(seconds),
    });
    // What the app said and was told, in the report of a test that failed.
    const journal = await fetch('/__sandbox/journal?format=har', { headers: authorization });
    await info.attach('journal.har', { body: await journal.text(), contentType: 'application/json' });
    server.close();
    await sandbox.close();
  },
  // Every test has it, so that no test can forget it.
  passkeys: [
    async ({ context, page }, use) => {
      const devtools = await context.newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await use(undefined);
    },
    { auto: true },
  ],
});

export { expect };
