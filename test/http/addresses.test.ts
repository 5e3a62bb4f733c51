/** Promise: an address means the same in every equivalent spelling, and an invalid one means nothing (D04). */
import { describe, expect, test } from 'vitest';
import { matchRequest } from '../../contract/match.ts';
import { operations } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openPort } from '../support/process/server.ts';
import { call, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { sample } from '../support/run/length.ts';
import { type Answer, openSandbox } from '../support/sandbox/harness.ts';

const shown = ({ status, headers, body }: Answer) => [status, Object.fromEntries(headers), body];
const headers = { 'X-Request-Id': 'same' };

describe('a plain address and the same one with an escape', () => {
  const withIds = operations.filter(({ id, path }) => path.includes('{') && id !== 'lookUpUmaReceiver');
  test.each(sample(withIds, 12))('$id', async (operation) => {
    const [one, other] = await Promise.all([openSandbox(), openSandbox()]);
    const [targets, same] = [await openTargets(one), await openTargets(other)];
    expect(JSON.stringify(same)).toBe(JSON.stringify(targets));
    const [plain, escaped] = [pathOf(operation, targets), pathOf(operation, same).replace(/[:-]/, escapeOf)];
    expect(escaped).not.toBe(plain);
    for (const body of [undefined, ...requestExamples(operation)]) {
      const first = await call(one, operation, targets, plain, { headers, body });
      const second = await call(other, operation, same, escaped, { headers, body });
      expect(shown(second)).toEqual(shown(first));
    }
  });
});

/** The escape of one character, which means the same as the character. */
function escapeOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

test('the version may be escaped too, in process and on a port', async () => {
  const sandbox = await openSandbox();
  const { request } = await openPort(sandbox);
  const answers = [await sandbox.send('GET', '/customers'), await request('GET /2025%2D10-13/customers HTTP/1.1')];
  expect(answers[0]?.status).toBe(200);
  expect(answers[1]?.body).toEqual(answers[0]?.body);
});

test.each([
  '/customers/',
  '/customers//x',
  '/customers/../customers',
  '/customers/./x',
  '/customers/%2E',
  '/customers;x',
  '/nothing',
  '/agents/me/nothing',
])("GET %s, sent as it is, isn't a path: 404", async (path) => {
  const { request } = await openPort(await openSandbox());
  expectRefusal(await request(`GET /2025-10-13${path} HTTP/1.1`), 404, 'NOT_FOUND');
});

test('what a URL would escape means what it says: "|" in an id, braces in a query', async () => {
  const { request } = await openPort(await openSandbox());
  expectRefusal(await request('GET /2025-10-13/customers/a"|<b> HTTP/1.1'), 404, 'USER_NOT_FOUND');
  expect((await request('GET /2025-10-13/customers?platformCustomerId={"a"|b} HTTP/1.1')).status).toBe(200);
});

test('literal segments come before parameters, whatever they are called', () => {
  const match = (path: string) => {
    const found = matchRequest('GET', path);
    return found.kind === 'operation' ? [found.operation.id, found.path] : [found.kind];
  };
  expect(['/agents/me', '/agents/approvals', '/agents/Agent:x'].map((path) => match(path)[0])).toEqual([
    'getCurrentAgent',
    'listAgentApprovals',
    'getAgent',
  ]);
  expect(['__proto__', 'constructor'].map((name) => match(`/customers/${name}`)[1])).toEqual([
    { customerId: '__proto__' },
    { customerId: 'constructor' },
  ]);
});
