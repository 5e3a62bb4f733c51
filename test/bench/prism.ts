/**
 * Runs Prism on the bundled contract, with its own HTTP server and the settings of `prism mock`, but without a log,
 * which makes it faster. Its routes have no version. (`npm run mock` is different: it serves Prism's examples behind
 * our own server.)
 */
import { readFileSync } from 'node:fs';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

const bundle = new URL('../../generated/openapi.json', import.meta.url);
const operations = await getHttpOperationsFromSpec(JSON.parse(readFileSync(bundle, 'utf8')));
const quiet = (): void => {};
const levels = { info: quiet, warn: quiet, error: quiet, debug: quiet, trace: quiet, fatal: quiet, success: quiet };
const logger = { ...levels, child: () => logger } as unknown as Parameters<
  typeof createServer
>[1]['components']['logger'];
const server = createServer(operations, {
  cors: true,
  config: {
    isProxy: false,
    validateRequest: true,
    validateResponse: true,
    checkSecurity: true,
    errors: false,
    upstreamProxy: undefined,
    mock: { dynamic: false },
  },
  components: { logger },
});
const address = await server.listen(0, '127.0.0.1');
console.log(`Prism is ready at ${address}`);
