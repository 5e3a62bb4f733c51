/**
 * Promise: a fault rule with `times` acts exactly that often, whatever happens to the requests that it matches. A
 * request that it doesn't act on doesn't count (docs/how-to/faults.md).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { clientKeys, openSignedInWallet } from '../support/scenes/builders.ts';
import { openOwner } from '../support/scenes/transfers.ts';

let waits: number[] = [];
let sandbox: TestSandbox;
beforeEach(async () => {
  waits = [];
  sandbox = await openSandbox({ wait: async (milliseconds) => void waits.push(milliseconds) });
});

type Ask = () => Promise<Answer>;
interface Outcome {
  readonly operation: string;
  /** The request's status if no rule acts. */
  readonly status: number;
  readonly isMet: boolean;
  readonly open: () => Promise<Ask>;
}

const readCustomer = (id: string, authorization?: null): Ask => {
  return () => sandbox.send('GET', `/customers/${id}`, authorization === null ? { authorization } : {});
};
const pay = async (amount: number, headers: Record<string, string> = {}): Promise<Ask> => {
  const { internalId, externalId } = await openOwner('000', {}, sandbox);
  const body = { source: { accountId: internalId }, destination: { accountId: externalId }, amount };
  return () => sandbox.send('POST', '/transfer-out', { body, headers });
};

const outcomes: Readonly<Record<string, Outcome>> = {
  success: {
    operation: 'getCustomer',
    status: 200,
    isMet: true,
    open: async () => readCustomer((await openOwner('000', {}, sandbox)).customerId),
  },
  'a refusal that is thrown': {
    operation: 'getCustomer',
    status: 404,
    isMet: true,
    open: async () => readCustomer('Customer:nobody'),
  },
  'a refusal that is returned': {
    operation: 'verifyCredential',
    status: 401,
    isMet: true,
    async open() {
      const { email } = await openSignedInWallet(sandbox);
      const body = { type: 'EMAIL_OTP', otp: '999999', clientPublicKey: clientKeys().publicKeyHex };
      return () => sandbox.send('POST', `/auth/credentials/${email.id}/verify`, { body });
    },
  },
  'a replay': {
    operation: 'createTransferOut',
    status: 201,
    isMet: true,
    async open() {
      const ask = await pay(700, { 'Idempotency-Key': '0199e0a4-2f00-4a31-8f5e-6d0b5c2a1eff' });
      expect((await ask()).status).toBe(201);
      return ask;
    },
  },
  validation: { operation: 'createTransferOut', status: 400, isMet: false, open: () => pay(0) },
  'bad credentials': {
    operation: 'getCustomer',
    status: 401,
    isMet: false,
    open: async () => readCustomer('Customer:nobody', null),
  },
};

const kinds: readonly { readonly status?: number; readonly delayMs?: number; readonly drop?: 'before' | 'after' }[] = [
  { status: 500 },
  { status: 503, delayMs: 7 },
  { delayMs: 7 },
  { drop: 'before' },
  { drop: 'after' },
  { drop: 'before', delayMs: 7 },
  { drop: 'after', delayMs: 7 },
];

const left = async (): Promise<(number | undefined)[]> => {
  const { rules } = (await sandbox.control('GET', '/faults')).body;
  return rules.map(({ times }: { times?: number }) => times);
};
/** The status of the answer; `dropped` if the connection broke. */
const outcomeOf = (ask: Ask): Promise<number | string> =>
  ask().then(
    ({ status }) => status,
    (error: Error) => (error.message.includes('dropped by a fault rule') ? 'dropped' : error.message),
  );

describe.each(Object.entries(outcomes))('met by %s', (_name, { operation, status, isMet, open }) => {
  test.each(kinds)('%j acts exactly twice', async (kind) => {
    const ask = await open();
    const rules = [{ operation, ...kind, times: 2 }];
    expect((await sandbox.control('PUT', '/faults', { body: { rules } })).status).toBe(200);
    const acted = kind.drop === undefined ? (kind.status ?? status) : 'dropped';
    for (const times of [[1], []]) {
      expect(await outcomeOf(ask)).toBe(isMet ? acted : status);
      expect(await left()).toEqual(isMet ? times : [2]);
    }
    expect(await outcomeOf(ask)).toBe(status);
    expect(await left()).toEqual(isMet ? [] : [2]);
    expect(waits).toEqual(isMet && kind.delayMs !== undefined ? [7, 7] : []);
  });
});

test('a rule without times acts for good on refusals too', async () => {
  const rules = [{ operation: 'getCustomer', drop: 'after' }];
  must(await sandbox.control('PUT', '/faults', { body: { rules } }));
  const ask = readCustomer('Customer:nobody');
  for (let number = 0; number < 3; number += 1) expect(await outcomeOf(ask)).toBe('dropped');
  expect(await left()).toEqual([undefined]);
});

test('of forty refused requests at once, a rule for one meets one, and the next rule the rest', async () => {
  const rules = [
    { operation: 'getCustomer', drop: 'after', times: 1 },
    { operation: '*', status: 503, times: 5 },
  ];
  must(await sandbox.control('PUT', '/faults', { body: { rules } }));
  const ask = readCustomer('Customer:nobody');
  const answers = await Promise.all(Array.from({ length: 40 }, () => outcomeOf(ask)));
  const count = (wanted: number | string) => answers.filter((one) => one === wanted).length;
  expect([count('dropped'), count(503), count(404)]).toEqual([1, 5, 34]);
  expect(await left()).toEqual([]);
});
