/**
 * Runs Scalar's mock server on the bundled contract. It is a `fetch`, which its README puts on a port with another
 * package; here our own server does that. Its routes have no version, because it ignores the path in the contract's
 * `servers`.
 */
import { readFileSync } from 'node:fs';
import { listen } from '../support/process/fetchApp.ts';

interface MockServer {
  createMockServer(options: { readonly document: unknown; readonly logger: boolean }): Promise<{
    fetch(request: Request): Response | Promise<Response>;
  }>;
}

const bundle = new URL('../../generated/openapi.json', import.meta.url);
// The name is in a variable, so that no import is resolved. Only a run that compares with Scalar installs it, into this
// folder.
const packageName: string = '@scalar/mock-server';
const { createMockServer } = (await import(packageName)) as MockServer;
const app = await createMockServer({ document: JSON.parse(readFileSync(bundle, 'utf8')), logger: false });
const { port } = await listen({ fetch: (request) => app.fetch(request) }, '127.0.0.1', 0);
console.log(`Scalar's mock server is ready at http://localhost:${port}`);
