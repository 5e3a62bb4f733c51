/**
 * Promise: every invalid request gets an error in the contract's error shape, and changes nothing. If one doesn't,
 * fast-check prints the seed and the smallest such request.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import { type Operation, operations, transportCodes } from '../../generated/operations.ts';
import { expectErrorShape } from '../support/expect/apiError.ts';
import { brokenBodies, garbage, isValidBody, mutatedBody, type RawGarbage } from '../support/requests/garbage.ts';
import { literalFaults, readLiterals } from '../support/requests/literals.ts';
import {
  call,
  everything,
  type Json,
  openTargets,
  pathOf,
  requestExamples,
  type Targets,
} from '../support/requests/targets.ts';
import { byLength, sample } from '../support/run/length.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';

const taking = operations.filter(({ body }) => body !== 'none');

function send(sandbox: TestSandbox, operation: Operation, targets: Targets, request: RawGarbage): Promise<Answer> {
  const { path, body: text, headers } = request;
  const { authorization, ...others } = headers ?? {};
  return call(sandbox, operation, targets, path, {
    headers: others,
    ...(authorization === undefined ? {} : { authorization }),
    ...(text === undefined ? {} : { text }),
  });
}

function expectRefused({ codes }: Operation, answer: Answer): void {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expectErrorShape(answer);
  const ofOperation = (codes as Record<number, readonly string[]>)[answer.status] ?? [];
  const ofTransport = (transportCodes as Record<number, readonly string[]>)[answer.status] ?? [];
  expect([...ofOperation, ...ofTransport]).toContain(answer.body.code);
}

describe('garbage', () => {
  test.each(sample(operations, 8))('$id refuses all of it and changes nothing', async (operation) => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const before = await everything(sandbox, targets);
    const property = fc.asyncProperty(garbage({ operation, path: pathOf(operation, targets) }), async (request) => {
      expectRefused(operation, await send(sandbox, operation, targets, request));
    });
    await fc.assert(property, { numRuns: byLength(10, 200) });
    expect(await everything(sandbox, targets)).toEqual(before);
    expect(sandbox.log).toEqual([]);
  });

  test.each(sample(taking, 4))('$id refuses broken and enormous bodies, and changes nothing', async (operation) => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const path = pathOf(operation, targets);
    const before = await everything(sandbox, targets);
    for (const [name, body] of brokenBodies(operation)) {
      const answer = await send(sandbox, operation, targets, { name, path, body });
      expect([name, answer.status]).toEqual([name, name === 'too large' ? 413 : 400]);
      expectRefused(operation, answer);
    }
    expect(await everything(sandbox, targets)).toEqual(before);
    expect(sandbox.log).toEqual([]);
  });

  test.each(['toString', 'valueOf', 'toJSON'])(
    'a field named %s in items that must differ is refused',
    async (name) => {
      const sandbox = await openSandbox();
      const fields = [
        { name: 'FULL_NAME', mandatory: true },
        { name: 'NATIONALITY', mandatory: false, [name]: null },
      ];
      const currency = { currencyCode: 'EUR', minAmount: 1, maxAmount: 2, requiredCounterpartyFields: fields };
      const answer = await sandbox.send('PATCH', '/config', { body: { supportedCurrencies: [currency] } });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain(name);
      expect(sandbox.log).toEqual([]);
    },
  );

  test('the limit of challenges is not touched by challenges that were refused', async () => {
    const sandbox = await openSandbox();
    const wallet = await openSignedInWallet(sandbox);
    const path = `/auth/credentials/${wallet.passkey.id}/challenge`;
    for (let time = 0; time < 10; time += 1) {
      expect((await sandbox.send('POST', path, { body: { clientPublicKey: 'none' } })).status).toBe(400);
    }
    const { session: _session, ...rest } = wallet;
    expect((await sandbox.send('POST', `/auth/credentials/${rest.email.id}/challenge`)).status).toBe(200);
  });
});

describe('the examples that garbage is made of', () => {
  test.each(sample(taking, 10))('of $id are valid, and what garbage makes of them is not', (operation) => {
    const examples = requestExamples(operation);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(isValidBody(operation, example)).toBe(true);
    fc.assert(fc.property(mutatedBody(operation), (body) => !isValidBody(operation, body)));
  });

  test.each(sample(taking, 10))('case 112: a discriminator never changes what is valid ($id)', (operation) => {
    const contract = loadContract();
    const body = fc.oneof(fc.constantFrom(...requestExamples(operation)), mutatedBody(operation));
    const agree = (value: Json): boolean => {
      // A body that the reader refuses doesn't get to the schema.
      if (literalFaults(value).length > 0) return !isValidBody(operation, value);
      const faults = contract
        .checkRequest(operation, readLiterals(value))
        .filter(({ params }) => params['format'] !== 'p256-point');
      return (faults.length === 0) === isValidBody(operation, value);
    };
    fc.assert(fc.property(body, agree));
  });
});
