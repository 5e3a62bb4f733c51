/**
 * Scalar's mock server on the bundled contract, put on a port as its README says. Its routes lack the version: it takes
 * no path from the contract's `servers`.
 */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createMockServer } from '@scalar/mock-server';

const bundle = new URL('../../generated/openapi.json', import.meta.url);
const app = await createMockServer({ document: JSON.parse(readFileSync(bundle, 'utf8')), logger: false });
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`Scalar's mock server is ready at http://localhost:${port}`);
});
