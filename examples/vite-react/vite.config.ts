/**
 * The second relay: in development, Vite's own proxy adds the token, in the process of Vite. It passes on every request
 * of the page, so use it only on your own machine. Deploy server/ instead.
 */
import react from '@vitejs/plugin-react';
import { defineConfig, type ProxyOptions } from 'vite';
import { findDemoCustomer } from './server/customer.ts';
import { settings } from './server/settings.ts';

export default defineConfig(async ({ command }) => ({
  plugins: [react()],
  ...(command === 'serve' && { server: { proxy: { '/api': await createProxy() } } }),
}));

async function createProxy(): Promise<ProxyOptions> {
  const { clientId, clientSecret } = settings.credentials;
  const customerId = await findDemoCustomer(settings);
  return {
    target: settings.baseUrl,
    changeOrigin: true,
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    // Like the Express relay: the page lists only its user's data.
    rewrite: (path) => {
      const asked = path.replace(/^\/api/, '');
      return asked.startsWith('/customers/') ? `${asked}?${new URLSearchParams({ customerId })}` : asked;
    },
  };
}
