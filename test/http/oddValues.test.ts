/**
 * Promise: a number that isn't exact and a string that isn't valid text are refused at every place of every body that
 * the sandbox reads, and the error names the place. Other odd values never cause a 500 (D08, D51).
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addContractFormats } from '../../contract/formats.ts';
import { addUniqueItems } from '../../contract/uniqueItems.ts';
import { operations } from '../../generated/operations.ts';
import { createSandbox as createInProcess } from '../../package/sandbox.ts';
import { expectErrorShape, expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  brokenTexts,
  keptNumbers,
  literal,
  unkeptNumbers,
  withEverywhere,
  writeJson,
} from '../support/requests/literals.ts';
import { call, everything, type Json, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { byLength } from '../support/run/length.ts';
import { type Answer, openSandbox } from '../support/sandbox/harness.ts';

const refused: readonly Json[] = byLength(
  [literal('1e400'), literal('-1e-400'), '\ud800'],
  [...unkeptNumbers.map(literal), ...brokenTexts],
);
const read: readonly Json[] = byLength([literal('-0'), literal('1e300')], keptNumbers.map(literal));

type Send = (text: string) => Promise<Answer>;

async function expectRefusedEverywhere(examples: readonly Json[], send: Send): Promise<void> {
  for (const value of refused) {
    for (const { pointer, body } of examples.flatMap((example) => withEverywhere(example, value))) {
      const answer = await send(writeJson(body));
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT')), writeJson(body)).toEqual([`body ${pointer}`]);
    }
  }
}

async function expectNever500(examples: readonly Json[], send: Send): Promise<void> {
  for (const value of read) {
    for (const { body } of examples.flatMap((example) => withEverywhere(example, value))) {
      const answer = await send(writeJson(body));
      expect(answer.status, writeJson(body)).toBeLessThan(500);
      if (answer.status >= 400) expectErrorShape(answer);
    }
  }
}

describe('every place in the body of an operation', () => {
  const taking = operations.filter(({ body }) => body !== 'none');
  const examplesOf = (operation: (typeof taking)[number]) =>
    byLength(requestExamples(operation).slice(0, 1), requestExamples(operation));

  // One sandbox for all of them, because a refused request changes nothing.
  test("refuses values that can't be kept, and nothing changes", async () => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const before = await everything(sandbox, targets);
    for (const operation of taking) {
      const path = pathOf(operation, targets);
      await expectRefusedEverywhere(examplesOf(operation), (text) => call(sandbox, operation, targets, path, { text }));
    }
    expect(await everything(sandbox, targets)).toEqual(before);
    expect(sandbox.log).toEqual([]);
  });

  const numbersAndLists = ['createToken', 'updateConfig', 'createQuote', 'fundInternalAccount', 'updateAgentPolicy'];
  test.each(taking.filter(({ id }) => byLength(numbersAndLists.includes(id), true)))(
    '$id: values that only look odd are answered by the contract',
    async (operation) => {
      const sandbox = await openSandbox();
      const targets = await openTargets(sandbox);
      const path = pathOf(operation, targets);
      await expectNever500(examplesOf(operation), (text) => call(sandbox, operation, targets, path, { text }));
      expect(sandbox.log).toEqual([]);
    },
  );
});

const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'k', key_ops: ['verify'], n: 1 };
const world = {
  customers: [
    {
      customer: { customerType: 'INDIVIDUAL', currencies: ['USD', 'USDB'] },
      accounts: [{ currency: 'USDB', balance: 5 }],
      externalAccounts: [
        {
          currency: 'USD',
          accountInfo: {
            accountType: 'USD_ACCOUNT',
            accountNumber: '123456',
            routingNumber: '021000021',
            beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' },
          },
        },
      ],
      agents: [
        {
          name: 'a',
          policy: { permissions: ['VIEW_TRANSACTIONS'], spendingLimits: { currency: 'USD', dailyLimit: 5 } },
        },
      ],
    },
  ],
};
const controlBodies: readonly [method: string, path: string, body: Json][] = [
  [
    'PUT',
    '/settings',
    {
      proofs: 'magic',
      origins: ['a'],
      rpIds: ['a'],
      audiences: ['a'],
      issuers: [{ issuer: 'i', jwks: { keys: [key] } }],
    },
  ],
  ['POST', '/clock', { advanceSeconds: 1 }],
  ['POST', '/clock', { set: '2030-01-01T00:00:00Z' }],
  [
    'PUT',
    '/faults',
    {
      emailOtpSync: { failAt: 1 },
      rules: [
        { operation: 'listAgents', status: 500, code: 'INTERNAL_ERROR', times: 2 },
        { operation: 'getToken', delayMs: 1 },
      ],
    },
  ],
  ['POST', '/platforms', { proofs: 'real', world }],
  ['POST', '/oidc/token', { sub: 'user-1', exp: 1, nested: { list: [1, 'a'] } }],
];

describe('every place in a body of the control surface', () => {
  test.each(controlBodies)('%s %s', async (method, path, body) => {
    const sandbox = await openSandbox();
    const send: Send = (text) => sandbox.control(method, path, { text });
    await expectRefusedEverywhere([body], send);
    await expectNever500([body], send);
    expect((await sandbox.send('GET', '/customers')).status).toBe(200);
    expect(sandbox.log).toEqual([]);
  });

  test('PUT /snapshot', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.control('GET', '/snapshot');
    const send: Send = (text) => sandbox.control('PUT', '/snapshot', { text });
    // One record of each table is enough.
    const records = Object.fromEntries(
      Object.entries(body.records).map(([name, some]) => [name, (some as Json[]).slice(0, 1)]),
    );
    await expectRefusedEverywhere([{ ...body, records }], send);
    await expectNever500([{ ...body, records }], send);
  });
});

describe('a world that a program hands over', () => {
  const cyclic: { customers: unknown[] } = { customers: [] };
  cyclic.customers.push(cyclic);
  test.each<[name: string, world: unknown, says: RegExp]>([
    [
      'Infinity',
      { customers: [{ customer: { customerType: 'INDIVIDUAL' }, accounts: [{ currency: 'USD', balance: 1 / 0 }] }] },
      /Infinity/,
    ],
    [
      'NaN',
      { customers: [{ customer: { customerType: 'INDIVIDUAL' }, accounts: [{ currency: 'USD', balance: 0 / 0 }] }] },
      /NaN/,
    ],
    [
      'half a surrogate pair',
      { customers: [{ customer: { customerType: 'INDIVIDUAL', fullName: '\ud800' } }] },
      /\/world\/customers\/0\/customer\/fullName.*surrogate/,
    ],
    ['a bigint', { customers: [{ customer: { customerType: 'INDIVIDUAL', fullName: 5n } }] }, /written as JSON/],
    ['a circle', cyclic, /written as JSON/],
    [
      'null',
      null,
      /must be "ready-made", "examples", or an object with a world or a snapshot; leave it out for an empty platform/,
    ],
    [
      'a text',
      'readymade',
      /must be "ready-made", "examples", or an object with a world or a snapshot; leave it out for an empty platform/,
    ],
    [
      'a function',
      () => {},
      /must be "ready-made", "examples", or an object with a world or a snapshot; leave it out for an empty platform/,
    ],
    ['a snapshot with Infinity', { format: 'countersign-snapshot-1', state: { clock: 1 / 0 } }, /Infinity/],
  ])('%s', async (_name, given, says) => {
    await expect(createInProcess({ world: given as never })).rejects.toThrow(says);
  });

  test('what is left undefined is left out, and what is changed later changes nothing', async () => {
    const customer = { customerType: 'INDIVIDUAL' as const, fullName: 'Ada', email: undefined };
    const given = { customers: [{ customer, accounts: undefined }] };
    const sandbox = await createInProcess({ world: given as never });
    customer.fullName = 'Eve';
    await sandbox.reset();
    const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}` };
    const { data } = (await (await sandbox.fetch('/customers', { headers })).json()) as {
      data: { fullName: string }[];
    };
    expect(data.map(({ fullName }) => fullName)).toEqual(['Ada']);
    await sandbox.close();
  });
});

test('no keyword and no format of ours throws, whatever it is given', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addContractFormats(ajv);
  addUniqueItems(ajv);
  const formats = Object.keys(ajv.formats).map((format) => ajv.compile({ anyOf: [{ format }, {}] }));
  const unique = ajv.compile({ uniqueItems: true });
  const cyclic: unknown[] = [];
  cyclic.push(cyclic, cyclic, { toJSON: 5, toString: null, valueOf: null });
  unique(cyclic);
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...brokenTexts, Number.NaN, 1 / 0, -0, 5n),
    fc.anything(),
  );
  const property = fc.property(fc.array(anything), (items) => {
    unique(items);
    for (const validate of formats) for (const item of items) validate(item);
  });
  fc.assert(property);
  expect([
    unique([0, -0]),
    unique([1 / 0, 1 / 0]),
    unique([
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
  ]).toEqual([false, false, false]);
});
