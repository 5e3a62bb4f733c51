/** An app's page with a sandbox behind Mock Service Worker, as `countersign/msw` is meant to be used. */
import { setupWorker } from 'msw/browser';
import { createSandbox } from '../../../package/browser.ts';
import { createHandlers } from '../../../package/msw.ts';

const sandbox = await createSandbox();
const worker = setupWorker(...createHandlers(sandbox, { baseUrl: 'https://api.example.com/v1' }));
await worker.start({ quiet: true, onUnhandledFrame: 'error', serviceWorker: { url: '/mockServiceWorker.js' } });
Object.assign(globalThis, { isMocked: true });
