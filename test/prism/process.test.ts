/** Promise: one command starts the stateless mock, one line says that it is ready or why not, and it stops cleanly. */
import { get } from 'node:http';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { basic } from '../support/harness.ts';
import { run } from '../support/process.ts';

const entry = 'mocks/prism/start.mjs';

it('says when it answers, says that a port is taken, and frees the port when it stops', async () => {
  const started = run(entry, ['--port', '0']);
  const [, base = ''] = await started.waitFor(/ready at (http:\S+)\n/);
  // Two Prefer lines, as only a real connection carries them, come out as one list.
  const headers = { authorization: basic('any', 'pair') };
  expect((await fetch(`${base}/customers`, { headers })).status).toBe(200);
  expect(await statusWithTwoPreferLines(base, headers.authorization)).toBe(403);
  const { port } = new URL(base);
  const second = run(entry, ['--port', port]);
  expect(await second.exit).toBe(1);
  expect(second.output()).toMatch(/^Port \d+ is taken\. .*--port \d+.*\n$/);
  started.child.kill('SIGTERM');
  expect(await started.exit).toBe(0);
  const next = createServer();
  await new Promise<void>((resolve) => next.listen(Number(port), '127.0.0.1', resolve));
  await new Promise((resolve) => next.close(resolve));
});

it('Ctrl-C stops it too, and a wrong flag is told', async () => {
  const started = run(entry, ['--port', '0']);
  await started.waitFor(/ready at/);
  started.child.kill('SIGINT');
  expect(await started.exit).toBe(0);
  const wrong = run(entry, ['--nonsense']);
  expect(await wrong.exit).toBe(1);
  expect(wrong.output()).toMatch(/Unknown option '--nonsense'[\s\S]*Usage: npm run mock/);
});

function statusWithTwoPreferLines(base: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, prefer: ['respond-async', 'code=403'] };
    get(`${base}/customers`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}
