/** Promise: a list that is filtered by a date leaves out what is not of that time, and every other filter does something. */
import { expect, test } from 'vitest';
import { type Operation, operations } from '../../generated/operations.ts';
import { bundle } from '../support/apiError.ts';
import { openSandbox } from '../support/harness.ts';
import { call, openTargets, pathOf } from '../support/targets.ts';

const edges: Readonly<Record<string, string>> = {
  createdAfter: '2100-01-01T00:00:00Z',
  updatedAfter: '2100-01-01T00:00:00Z',
  startDate: '2100-01-01T00:00:00Z',
  createdBefore: '2000-01-01T00:00:00Z',
  updatedBefore: '2000-01-01T00:00:00Z',
  endDate: '2000-01-01T00:00:00Z',
};

/** Each operation with each of its filters that is a date. */
const filtered = (operations as readonly Operation[]).flatMap((operation) => {
  const declared: { $ref?: string; name?: string }[] =
    bundle.paths[operation.path][operation.method.toLowerCase()].parameters ?? [];
  return declared
    .map(({ $ref, name }) => name ?? bundle.components.parameters[$ref?.split('/').at(-1) ?? ''].name)
    .filter((name) => name in edges)
    .map((name) => [operation.id, name, operation] as const);
});

test.each(filtered)('%s with a %s of another time is empty', async (_id, name, operation) => {
  const sandbox = await openSandbox();
  const targets = await openTargets(sandbox);
  const path = pathOf(operation, targets);
  const list = async (query: string) => (await call(sandbox, operation, targets, path + query)).body;
  const separator = path.includes('?') ? '&' : '?';
  expect((await list('')).data.length).toBeGreaterThan(0);
  expect(await list(`${separator}${name}=${edges[name]}`)).toMatchObject({ data: [], hasMore: false });
});

test('agents can be listed by whether they are connected', async () => {
  const sandbox = await openSandbox();
  await openTargets(sandbox);
  const count = async (query: string) => (await sandbox.send('GET', `/agents${query}`)).body.totalCount;
  const [all, connected, others] = [
    await count(''),
    await count('?isConnected=true'),
    await count('?isConnected=false'),
  ];
  expect([connected > 0, others > 0, connected + others]).toEqual([true, true, all]);
});
