/** The app on a port, connected to the test's platform, and a browser whose user always confirms the passkey. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test as base } from 'countersign/playwright';
import { createApp } from '../server/app.ts';

export { expect } from 'countersign/playwright';

interface AppFixtures {
  /** The app's address. */
  readonly appUrl: string;
  readonly passkeys: undefined;
}

export const test = base.extend<AppFixtures>({
  appUrl: async ({ platform, client }, use) => {
    const query = { platformCustomerId: 'world-individual' };
    const customers = await client.GET('/customers', { params: { query } });
    const wallets = await client.GET('/customers/internal-accounts', {
      params: { query: { customerId: customers.data?.data[0]?.id, type: 'EMBEDDED_WALLET' } },
    });
    const accountId = wallets.data?.data[0]?.id ?? '';
    const app = createApp({ baseUrl: platform.url, credentials: platform.credentials, accountId });
    const server = app.listen(0, 'localhost');
    await once(server, 'listening');
    await use(`http://localhost:${(server.address() as AddressInfo).port}`);
    server.close();
  },
  // Every test gets it automatically, so that no test can forget it.
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
