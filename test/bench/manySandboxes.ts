/** Opens many sandboxes in one program, like a test suite, and prints their cost. Started by apart.ts. */
import { createSandbox, type Sandbox } from '../../package/sandbox.ts';
import { credentials } from './requests.ts';
import type { ManySandboxes } from './results.ts';

const count = 200;
const authorization = `Basic ${btoa(`${credentials.clientId}:${credentials.clientSecret}`)}`;

async function open(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const response = await sandbox.fetch(new Request(`${sandbox.url}/customers`, { headers: { authorization } }));
  if (response.status !== 200) throw new Error(`The first reply is ${response.status}`);
  await response.text();
  return sandbox;
}

// The first sandbox reads the contract and compiles it. A suite of one test pays for that too.
const first = await open();
globalThis.gc?.();
const bytesBefore = process.memoryUsage().rss;
const startedAt = performance.now();
const all = [first];
for (let number = 0; number < count; number += 1) all.push(await open());
const ms = performance.now() - startedAt;
globalThis.gc?.();
const bytesEach = (process.memoryUsage().rss - bytesBefore) / count;
console.log(JSON.stringify({ count, ms, bytesEach } satisfies ManySandboxes));
process.exit(all.length === count + 1 ? 0 : 1);
