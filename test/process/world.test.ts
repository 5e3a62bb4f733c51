/**
 * Promise: `npm start -- --world FILE` starts with the file's world or snapshot, and a reset returns to it. For any
 * other file, the message names the place of its fault, before anything starts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, startSandbox } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic } from '../support/sandbox/harness.ts';

const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };
const entry = 'cli/countersign.mjs start';

function write(content: unknown): string {
  const file = join(temporaryFolder(), 'world.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const customer = (email: string) => ({ customer: { customerType: 'INDIVIDUAL', email } });
const emails = async (base: string): Promise<string[]> => {
  const { data } = (await (await fetch(`${base}/customers`, { headers })).json()) as { data: { email: string }[] };
  return data.map(({ email }) => email);
};
const post = (base: string, path: string, body?: object) =>
  fetch(new URL(path, base), {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const addCustomer = (base: string) => post(base, '/2025-10-13/customers', customer('late@example.com').customer);

test.each(
  byLength(
    [],
    [
      'a world: its customers and nobody else, again after a reset; its data file goes on until one, whatever world is given',
    ],
  ),
)('%s', async () => {
  const file = write({ customers: [customer('ada@example.com'), customer('bob@example.com')] });
  const data = join(temporaryFolder(), 'data.sqlite');
  const first = await startSandbox(['--data', data, '--world', file]);
  expect(first.output()).toContain(`world         ${file}`);
  expect(await emails(first.base)).toEqual(['bob@example.com', 'ada@example.com']);
  await addCustomer(first.base);
  expect((await post(first.base, '/__sandbox/reset')).status).toBe(204);
  expect(await emails(first.base)).toEqual(['bob@example.com', 'ada@example.com']);
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  const { base } = await startSandbox(['--data', data, '--world', write({ customers: [customer('new@example.com')] })]);
  expect(await emails(base)).toEqual(['bob@example.com', 'ada@example.com']);
  await post(base, '/__sandbox/reset');
  expect(await emails(base)).toEqual(['new@example.com']);
});

test.each(
  byLength(
    [],
    ['a snapshot: the platform goes on where it was taken, on another server and after a reset, byte for byte'],
  ),
)('%s', async () => {
  const here = await startSandbox(['--data', ':memory:', '--seed', '7']);
  await addCustomer(here.base);
  const take = async (base: string) => (await fetch(new URL('/__sandbox/snapshot', base), { headers })).text();
  const taken = await take(here.base);
  const there = await startSandbox(['--data', ':memory:', '--world', write(taken)]);
  expect(await take(there.base)).toBe(taken);
  await addCustomer(there.base);
  await post(there.base, '/__sandbox/reset');
  expect(await take(there.base)).toBe(taken);
});

test('a name: the world of the examples, whose ids the contract shows', async () => {
  const { base, output } = await startSandbox(['--data', ':memory:', '--world', 'examples']);
  expect(output()).toContain('world         examples');
  const path = '/quotes/Quote:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e50';
  expect(await (await fetch(`${base}${path}`, { headers })).json()).toMatchObject({ status: 'PENDING' });
});

// A file that can't be read, and a world that the platform can't start with.
const shortly = ['a number that is not kept', 'a customer of no type'];
const refused: [name: string, content: unknown, says: RegExp][] = [
  [
    'another document',
    { hello: 1 },
    /contains neither a world, \{"customers": \[\.\.\.\]\}, nor a snapshot from GET \/__sandbox\/snapshot/,
  ],
  [
    'a number that is not kept',
    '{"customers": [{"customer": {}, "accounts": [{"currency": "USD", "balance": 1e400}]}]}',
    /^Can't read .*world\.json as a world: .*\n {2}\/customers\/0\/accounts\/0\/balance is a number too large to be kept\n/,
  ],
  ['a list', [], /contains neither a world/],
  [
    'a customer of no type',
    { customers: [{ customer: {} }] },
    /can't be the world of the platform: .*\n {2}\/customers\/0\/customer/,
  ],
  ['an invalid world', { customers: 5 }, /can't be the world of the platform/],
  [
    'a snapshot that was written',
    { format: 'countersign-snapshot-1' },
    /can't be the world of the platform: .*\n {2}\/schema is required\n/,
  ],
  ['no JSON', '{', /^Can't read .*world\.json as a world: /],
];

test.each(
  byLength(
    refused.filter(([name]) => shortly.includes(name)),
    refused,
  ),
)('%s: exit code 2, and what is wrong where', async (_name, content, says) => {
  const started = run(entry, ['--port', '0', '--data', ':memory:', '--world', write(content)]);
  expect([await started.exit, started.output()]).toEqual([2, expect.stringMatching(says)]);
});

test.each(byLength([], ['a file that is not there']))('%s', async () => {
  const started = run(entry, ['--port', '0', '--data', ':memory:', '--world', '/nowhere/world.json']);
  expect([await started.exit, started.output()]).toEqual([2, expect.stringMatching(/^Can't read \/nowhere.*ENOENT/)]);
});
