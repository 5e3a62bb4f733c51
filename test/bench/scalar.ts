/**
 * Scalar's mock server on the bundled contract. It is a `fetch` that its README puts on a port with another package; here
 * our own server does. Its routes lack the version: it takes no path from the contract's `servers`.
 */
import { readFileSync } from 'node:fs';
import { createMockServer } from '@scalar/mock-server';
import { listen } from '../support/process/fetchApp.ts';

const bundle = new URL('../../generated/openapi.json', import.meta.url);
const app = await createMockServer({ document: JSON.parse(readFileSync(bundle, 'utf8')), logger: false });
const { port } = await listen({ fetch: (request) => app.fetch(request) }, '127.0.0.1', 0);
console.log(`Scalar's mock server is ready at http://localhost:${port}`);
