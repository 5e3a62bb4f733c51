/** Promise: one command starts the stateless mock, one line says that it is ready or why not, and it stops cleanly. */
import { get } from 'node:http';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { run } from '../support/process/process.ts';
import { basic } from '../support/sandbox/harness.ts';

const entry = 'cli/countersign.mjs mock';

it('says when it answers, frees the port when it is told to stop, and says what it takes', async () => {
  const started = run(entry, ['--port', '0']);
  const [, base = ''] = await started.waitFor(/ready at (http:\S+)\n/);
  // Two Prefer lines, which only a real connection can carry, are read as one list.
  const headers = { authorization: basic('any', 'pair') };
  expect((await fetch(`${base}/customers`, { headers })).status).toBe(200);
  expect(await statusWithTwoPreferLines(base, headers.authorization)).toBe(403);
  const { port } = new URL(base);
  started.child.kill('SIGINT');
  expect(await started.exit).toBe(0);
  const next = createServer();
  await new Promise<void>((resolve) => next.listen(Number(port), '127.0.0.1', resolve));
  await new Promise((resolve) => next.close(resolve));
  const wrong = run(entry, ['--nonsense']);
  expect(await wrong.exit).toBe(2);
  expect(wrong.output()).toMatch(/^Unknown option '--nonsense'\.\nnpx countersign mock --help lists/);
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
