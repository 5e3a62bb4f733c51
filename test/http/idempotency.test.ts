/**
 * Promise: a request that moves money can be repeated with its key until it is answered. The money moves once, and
 * every repetition gets the first answer, marked as a replay, whatever has happened since. A refusal of the operation
 * is such an answer; a refusal of an earlier step isn't (D10).
 */
import { describe, expect, test } from 'vitest';
import { type ErrorCode, operations } from '../../generated/operations.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  agentNames,
  agentPlans,
  expectReplay,
  isReplay,
  key,
  names,
  otherKey,
  type Plan,
  plans,
  post,
  prepare,
} from '../support/requests/idempotency.ts';
import { sample } from '../support/run/length.ts';
import { basic, must, openSandbox } from '../support/sandbox/harness.ts';
import { magic, openSignedInWallet } from '../support/scenes/builders.ts';
import { mustAdd, usdcRequest } from '../support/scenes/externalAccounts.ts';
import { updateCustomer } from '../support/scenes/payments.ts';
import { makeToken } from '../support/scenes/tokens.ts';
import { expectSound, listTransactions, moneyState, type Owner, openOwner } from '../support/scenes/transfers.ts';

const everyName = [...names, ...agentNames];

test('the operations that take a key are these', () => {
  const taking = operations.filter(({ idempotent }) => idempotent).map(({ id }) => id);
  expect(taking.sort()).toEqual([...everyName].sort());
});

describe.each(sample(everyName, 4))('%s', (name) => {
  test('case 77: a repetition is the first answer again, marked, and does nothing', async () => {
    const { sandbox, plan } = await prepare(name);
    const first = await post(sandbox, plan, key);
    expect([200, 201]).toContain(first.status);
    const after = await moneyState(sandbox);
    for (let round = 0; round < 3; round += 1) expectReplay(await post(sandbox, plan, key), first);
    expect(await moneyState(sandbox)).toEqual(after);
  });

  test.each(['003', '005'])('case 77: and so it is when things have moved on (suffix %s)', async (suffix) => {
    const { sandbox, plan } = await prepare(name, suffix);
    const first = await post(sandbox, plan, key);
    for (const seconds of [30, 300, 360, 365 * 86_400]) {
      await sandbox.advance(seconds);
      expectReplay(await post(sandbox, plan, key), first);
      await expectSound(sandbox);
    }
  });

  test('letter case makes no difference to a key', async () => {
    const { sandbox, plan } = await prepare(name);
    const first = await post(sandbox, plan, key.toUpperCase());
    expectReplay(await post(sandbox, plan, key), first);
  });

  test.each(
    sample(['', 'abc', key.slice(1), `${key}0`, key.replaceAll('-', ''), `{${key}}`, `${key}, ${otherKey}`], 3),
  )('a key "%s" that isn\'t a UUID is 400, and nothing happens', async (text) => {
    const { sandbox, plan } = await prepare(name);
    const before = await moneyState(sandbox);
    const refused = expectRefusal(await post(sandbox, plan, text), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['header /Idempotency-Key']);
    expect(await moneyState(sandbox)).toEqual(before);
  });

  test('case 80: of fifty at once, one is carried out and all get the same answer', async () => {
    const { sandbox, plan, owner } = await prepare(name);
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(sandbox, plan, key)));
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
    const [one] = answers;
    for (const { status, body } of answers) expect([status, body]).toEqual([one?.status, one?.body]);
    // The payment that funded the owner, and one more.
    expect(await listTransactions(sandbox)).toHaveLength(2);
    const balances: Record<string, number> = {
      createQuote: 100_000,
      createAgentQuote: 100_000,
      createTransferIn: 102_500,
      createAgentTransferIn: 102_500,
    };
    expect(await owner.balance()).toBe(balances[name] ?? 97_500);
    await expectSound(sandbox);
  });
});

describe.each(everyName.filter((name) => !name.startsWith('execute')))('%s', (name) => {
  test('case 79: another body is 422, during the first request and after it', async () => {
    const { sandbox, plan } = await prepare(name);
    const other = { ...plan, body: plan.otherBody ?? {} };
    const [first, second] = await Promise.all([post(sandbox, plan, key), post(sandbox, other, key)]);
    expect(first.status).toBe(201);
    expectRefusal(second, 422, 'IDEMPOTENCY_KEY_REUSED');
    const before = await moneyState(sandbox);
    expectRefusal(await post(sandbox, other, key), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect(await moneyState(sandbox)).toEqual(before);
    expectReplay(await post(sandbox, plan, key), first);
  });

  test('case 79: a body that is written otherwise and says the same is the same', async () => {
    const { sandbox, plan } = await prepare(name);
    const first = await post(sandbox, plan, key);
    const turned = Object.fromEntries(Object.entries(plan.body ?? {}).reverse());
    expectReplay(await post(sandbox, { ...plan, body: turned }, key), first);
    const text = JSON.stringify(plan.body, null, 4);
    const { path, authorization } = plan;
    const headers = { 'Idempotency-Key': key };
    const spaced = await sandbox.send('POST', path, {
      text,
      headers,
      ...(authorization === undefined ? {} : { authorization }),
    });
    expectReplay(spaced, first);
  });

  test('case 79: the form is checked first: a body of no form is 400', async () => {
    const { sandbox, plan } = await prepare(name);
    await post(sandbox, plan, key);
    expectRefusal(await post(sandbox, { ...plan, body: {} }, key), 400, 'INVALID_INPUT');
  });

  test('case 82: a fault of form leaves the key free; a refusal of the operation belongs to it', async () => {
    const { sandbox, owner, plan } = await prepare(name);
    const { source: _source, ...sourceless } = plan.body as { source: object };
    expectRefusal(await post(sandbox, { ...plan, body: sourceless }, key), 400, 'INVALID_INPUT');
    const gone = JSON.parse(JSON.stringify(plan.body).replace(owner.internalId, 'InternalAccount:none'));
    const refused = await post(sandbox, { ...plan, body: gone }, key);
    expectRefusal(refused, 404, 'ACCOUNT_NOT_FOUND');
    expectReplay(await post(sandbox, { ...plan, body: gone }, key), refused);
    expectRefusal(await post(sandbox, plan, key), 422, 'IDEMPOTENCY_KEY_REUSED');
    const right = await post(sandbox, plan, otherKey);
    expect([right.status, isReplay(right)]).toEqual([201, false]);
  });
});

/** A refusal of the operation, its cause, and how to remove the cause. */
interface Refusal {
  readonly name: string;
  readonly amount?: number;
  readonly status: number;
  readonly code: ErrorCode;
  readonly spoil?: (owner: Owner, plan: Plan) => Promise<unknown>;
  readonly mend?: (owner: Owner) => Promise<unknown>;
}

const setKyc = (kycStatus: string) => (owner: Owner) => updateCustomer(owner.sandbox, owner.customerId, { kycStatus });
const refusals: readonly Refusal[] = [
  {
    name: 'createTransferOut',
    amount: 100_001,
    status: 400,
    code: 'INSUFFICIENT_FUNDS',
    mend: (owner) => owner.fund('USD', 1),
  },
  {
    name: 'executeQuote',
    amount: 100_001,
    status: 400,
    code: 'INSUFFICIENT_FUNDS',
    mend: (owner) => owner.fund('USD', 1),
  },
  ...['createQuote', 'executeQuote', 'createTransferOut', 'createAgentQuote', 'createAgentTransferOut'].map((name) => ({
    name,
    status: 403,
    code: 'USER_NOT_READY' as const,
    spoil: setKyc('REJECTED'),
    mend: setKyc('APPROVED'),
  })),
  {
    name: 'executeQuote',
    status: 409,
    code: 'QUOTE_EXPIRED',
    spoil: (owner) => owner.sandbox.advance(301),
  },
  {
    name: 'executeQuote',
    status: 409,
    code: 'QUOTE_NOT_PENDING',
    spoil: (owner, plan) => owner.sandbox.send('POST', plan.path),
  },
];

test.each(refusals)('case 77: $name refused with $status $code says so again', async (refusal) => {
  const { name, amount, status, code, spoil, mend } = refusal;
  const owner = await openOwner();
  const plan = (await { ...plans, ...agentPlans }[name]?.(owner, amount)) as Plan;
  await spoil?.(owner, plan);
  const before = await moneyState(owner.sandbox);
  const first = await post(owner.sandbox, plan, key);
  expectRefusal(first, status, code);
  expect(await moneyState(owner.sandbox)).toEqual(before);
  await mend?.(owner);
  const mended = await moneyState(owner.sandbox);
  for (let round = 0; round < 2; round += 1) expectReplay(await post(owner.sandbox, plan, key), first);
  expect(await moneyState(owner.sandbox)).toEqual(mended);
  if (mend === undefined) return;
  const right = await post(owner.sandbox, plan, otherKey);
  expect([right.status < 300, isReplay(right)]).toEqual([true, false]);
  await expectSound(owner.sandbox);
});

test('case 80: of fifty at once that are refused, one is checked and all get the same answer', async () => {
  const owner = await openOwner();
  const plan = (await plans['createTransferOut']?.(owner, 100_001)) as Plan;
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(owner.sandbox, plan, key)));
  expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
  for (const answer of answers) expectRefusal(answer, 400, 'INSUFFICIENT_FUNDS');
});

describe('what a step before the operation answers leaves the key free', () => {
  const name = 'createTransferOut';

  test('401 and 403 of the token', async () => {
    const { sandbox, plan } = await prepare(name);
    const { authorization } = await makeToken(sandbox, ['VIEW']);
    expectRefusal(await post(sandbox, plan, key, authorization), 403, 'FORBIDDEN');
    expectRefusal(await post(sandbox, plan, key, basic('sandbox', 'wrong')), 401, 'UNAUTHORIZED');
    expect(isReplay(await post(sandbox, plan, key))).toBe(false);
  });

  test('415 of a body in another media type', async () => {
    const { sandbox, plan } = await prepare(name);
    const text = JSON.stringify(plan.body);
    const headers = { 'Idempotency-Key': key, 'Content-Type': 'text/plain' };
    expect((await sandbox.send('POST', plan.path, { text, headers })).status).toBe(415);
    expect(isReplay(await post(sandbox, plan, key))).toBe(false);
  });

  test('a planted 503, and a connection that broke before anything was done', async () => {
    const { sandbox, plan } = await prepare(name);
    for (const rule of [{ status: 503 }, { drop: 'before' }]) {
      const rules = [{ operation: name, times: 1, ...rule }];
      expect((await sandbox.control('PUT', '/faults', { body: { rules } })).status).toBe(200);
      await post(sandbox, plan, key).catch(() => undefined);
    }
    expect(isReplay(await post(sandbox, plan, key))).toBe(false);
  });
});

test('case 77: a payment that failed is an answer as well, and is kept', async () => {
  const { sandbox, plan } = await prepare('createTransferOut', '004');
  const first = await post(sandbox, plan, key);
  expect([first.status, first.body.status]).toEqual([201, 'FAILED']);
  expectReplay(await post(sandbox, plan, key), first);
  expect(await listTransactions(sandbox, 'type=OUTGOING')).toHaveLength(1);
});

test('case 77: a quote that was executed since, or has expired, is PENDING in the replay', async () => {
  const { sandbox, plan } = await prepare('createQuote');
  const first = await post(sandbox, plan, key);
  expect((await sandbox.send('POST', `/quotes/${first.body.id}/execute`)).body.status).toBe('COMPLETED');
  expectReplay(await post(sandbox, plan, key), first);
  expect(first.body.status).toBe('PENDING');
});

test("a signature isn't part of what must be the same; a first request without one leaves the key free", async () => {
  const sandbox = await openSandbox();
  const { accountId } = await openSignedInWallet(sandbox);
  must(await sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, { body: { amount: 2500 } }));
  const coins = await mustAdd(sandbox, usdcRequest('So11111111111111111111111111111111111111112'));
  const body = {
    source: { sourceType: 'ACCOUNT', accountId },
    destination: { destinationType: 'ACCOUNT', accountId: coins.id },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 2500,
  };
  const made = await sandbox.send('POST', '/quotes', { body });
  expect(made.status).toBe(201);
  const execute = (signature: Record<string, string>) =>
    sandbox.send('POST', `/quotes/${made.body.id}/execute`, { headers: { 'Idempotency-Key': key, ...signature } });
  expectRefusal(await execute({}), 401, 'WALLET_SIGNATURE_MISSING');
  const first = await execute({ 'Service-Wallet-Signature': magic.walletSignature });
  expect([first.status, first.body.status]).toEqual([200, 'COMPLETED']);
  for (const signature of [{}, { 'Service-Wallet-Signature': 'another' }])
    expectReplay(await execute(signature), first);
});
