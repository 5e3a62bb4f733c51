/**
 * Measures how much memory stays in use, in a separate process with `--expose-gc`: after sandboxes that were made and
 * closed one after the other, or in a busy one. Usage: node --expose-gc growth.ts package|app|busy COUNT. It prints the
 * heap's size in bytes, after COUNT rounds and after three times as many more.
 */
import { createSandbox as createApp } from '../../../mocks/sandbox/app.ts';
import { openSqlite } from '../../../mocks/sandbox/node/sqlite/sqlite.ts';
import { systemChance } from '../../../mocks/sandbox/tools/chance.ts';
import { systemClock } from '../../../mocks/sandbox/tools/clock.ts';
import { createSandbox } from '../../../package/sandbox.ts';

interface Opened {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly close: () => Promise<void>;
}

const log = { info: () => {}, error: () => {} };
const open: Readonly<Record<string, () => Promise<Opened>>> = {
  package: () => createSandbox(),
  app: async () => {
    const store = await openSqlite(':memory:');
    const app = await createApp({ store, clock: systemClock, chance: systemChance, log });
    return { fetch: (request) => app.fetch(request), close: () => store.close() };
  },
};
const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' };
const body = JSON.stringify({ customerType: 'INDIVIDUAL' });

async function use(sandbox: Opened): Promise<void> {
  const url = 'http://localhost/2025-10-13/customers';
  await (await sandbox.fetch(new Request(url, { method: 'POST', headers, body }))).text();
  await (await sandbox.fetch(new Request(`${url}?limit=20`, { headers }))).text();
}

async function openAndClose(kind: string): Promise<void> {
  const sandbox = await open[kind]?.();
  if (sandbox === undefined) throw new Error(`There is no ${kind}`);
  await use(sandbox);
  await sandbox.close();
}

function heldBytes(): number {
  for (let time = 0; time < 3; time += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const [kind = '', count = ''] = process.argv.slice(2);
const busy = kind === 'busy' ? await createSandbox() : undefined;
const step = () => (busy === undefined ? openAndClose(kind) : use(busy));
for (let time = 0; time < Number(count); time += 1) await step();
const atFirst = heldBytes();
for (let time = 0; time < 3 * Number(count); time += 1) await step();
console.log(JSON.stringify([atFirst, heldBytes()]));
process.exit(0);
