/**
 * Promise: an agent's action changes its state (`AgentActionStatus`) only as the tables here say, with either kind of
 * proofs and for every way to request it. Any other change is refused and has no effect (D32, D33, D81).
 */
import { describe, expect, test } from 'vitest';
import type { AgentAction } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { type Kind, proverOn, registerBy, signInBy } from '../support/proofs/prover.ts';
import { byLength, sample } from '../support/run/length.ts';
import { type Answer, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { accountsOf, openPlatform } from '../support/sandbox/platforms.ts';
import { type AgentStage, openAgentStage } from '../support/scenes/agents.ts';
import { at, execute, fromAccount, fund, quoteRequest, readQuote, toAccount } from '../support/scenes/payments.ts';
import { moneyState } from '../support/scenes/transfers.ts';

const ways = ['transfer out', 'transfer in', 'quote', "wallet's quote"] as const;
type Way = (typeof ways)[number];
interface Case {
  readonly kind: Kind;
  readonly way: Way;
}

const kinds: readonly Kind[] = ['magic', 'real'];
const everyCase: Case[] = kinds.flatMap((kind) => ways.map((way) => ({ kind, way })));
// Each way once, with one kind of proofs or the other.
const cases = byLength(
  everyCase.filter(({ kind, way }) => (kind === 'real') === (way === "wallet's quote" || way === 'transfer in')),
  everyCase,
);
const quoteCases = cases.filter(({ way }) => way.includes('quote'));

interface Stage extends AgentStage {
  readonly sandbox: TestSandbox;
  readonly way: Way;
  /** Makes what must exist before the agent's request. `ask` sends that request and returns the answer. */
  prepare(amount?: number): Promise<{ readonly quoteId?: string; ask(): Promise<Answer> }>;
  /** Prepares and sends the request, which must succeed. */
  start(amount?: number): Promise<{ readonly action: AgentAction; readonly quoteId?: string }>;
  read(action: { readonly id: string }): Promise<AgentAction>;
}

const waits = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

/** An agent with those proofs, whose customer has 1,000.00 USD and a signed-in wallet with 5 USDB. */
async function open({ kind, way }: Case, policy: object = {}, suffix = '777'): Promise<Stage> {
  const sandbox = await openPlatform(await openSandbox(), { proofs: kind });
  const stage = await openAgentStage(sandbox, policy, suffix);
  const { agent, accountId, bankId } = stage;

  const prepareQuote = async (sourceId: string, amount: number, sign: (payload: string) => object) => {
    const body = quoteRequest(fromAccount(sourceId), toAccount(bankId), { lockedCurrencyAmount: amount });
    const quote = await agent.send('POST', '/quotes', { body });
    expect([quote.status, quote.body]).toEqual([201, expect.anything()]);
    const quoteId: string = quote.body.id;
    const headers = sign(quote.body.paymentInstructions?.[0]?.accountOrWalletInfo.payloadToSign);
    return { quoteId, ask: () => agent.send('POST', `/quotes/${quoteId}/execute`, { headers: { ...headers } }) };
  };
  const prepare: Stage['prepare'] = async (wanted) => {
    const amount = wanted ?? 2500;
    if (way === 'transfer out') return { ask: () => stage.transferOut(amount) };
    if (way === 'transfer in') {
      const body = { source: { accountId: bankId }, destination: { accountId }, amount };
      return { ask: () => agent.send('POST', '/transfer-in', { body }) };
    }
    if (way === 'quote') return prepareQuote(accountId, amount, () => ({}));
    const wallet = (await accountsOf(sandbox, stage.customerId)).find(({ type }) => type === 'EMBEDDED_WALLET');
    const walletId = wallet?.id ?? 'no wallet';
    await fund(sandbox, walletId, 5_000_000);
    const prover = proverOn(sandbox, kind);
    const signedIn = await signInBy(prover, await registerBy(prover, 'OAUTH', walletId));
    return prepareQuote(walletId, amount * 1000, (payload) => ({
      'Service-Wallet-Signature': prover.sign(payload, signedIn),
    }));
  };
  return {
    ...stage,
    sandbox,
    way,
    prepare,
    async start(amount) {
      const { ask, quoteId } = await prepare(amount);
      const answer = await ask();
      expect([answer.status, answer.body]).toEqual([quoteId === undefined ? 201 : 200, expect.anything()]);
      return { action: answer.body, ...(quoteId === undefined ? {} : { quoteId }) };
    },
    async read({ id }) {
      const answer = await agent.send('GET', `/actions/${id}`);
      expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
      return answer.body;
    },
  };
}

/** The amount that an approved action of 25.00 USD, or of 2.5 USDB, counts. */
const spend = (way: Way): number => (way === "wallet's quote" ? 250 : 2500);
const usage = (count: number, sum: number) => ({ dailyTransactionCount: count, dailySpend: sum, monthlySpend: sum });
const nothing = usage(0, 0);
const expectUsage = async ({ agent }: Stage, expected: object) =>
  expect((await agent.look()).usage).toMatchObject(expected);

/** Money, action and usage, which must be the same after a refused request. */
const whole = async (stage: Stage, action: AgentAction) => ({
  money: await moneyState(stage.sandbox),
  action: await stage.read(action),
  agent: await stage.agent.look(),
});

describe.each(cases)('$kind proofs, a $way', (one) => {
  test('new to PENDING_APPROVAL: there is no transaction, nothing moves and nothing is counted', async () => {
    const stage = await open(one, waits);
    const { ask } = await stage.prepare();
    const before = await moneyState(stage.sandbox);
    const { body: action } = await ask();
    expect(action).toMatchObject({ status: 'PENDING_APPROVAL', createdAt: at(0), updatedAt: at(0) });
    expect(action).not.toHaveProperty('transaction');
    expect(await stage.read(action)).toEqual(action);
    expect(await moneyState(stage.sandbox)).toEqual(before);
    await expectUsage(stage, nothing);
  });

  test('new to APPROVED: the transaction is there, and it counts', async () => {
    const stage = await open(one);
    const { action } = await stage.start();
    expect(action).toMatchObject({ status: 'APPROVED', transaction: { status: 'COMPLETED', agentId: stage.agent.id } });
    expect(await stage.read(action)).toEqual(action);
    await expectUsage(stage, usage(1, spend(one.way)));
  });

  test('PENDING_APPROVAL to APPROVED: the execution proceeds when the platform approves', async () => {
    const stage = await open(one, waits);
    const { action } = await stage.start();
    await stage.sandbox.advance(60);
    const answer = await stage.answer(action, 'approve');
    expect(answer).toMatchObject({
      status: 200,
      body: { id: action.id, status: 'APPROVED', transaction: { status: 'COMPLETED' }, updatedAt: at(60) },
    });
    expect(await stage.read(action)).toEqual(answer.body);
    await expectUsage(stage, usage(1, spend(one.way)));
  });

  test.each([
    ['with a reason', { reason: 'Not this supplier.' }, 'Not this supplier.'],
    ['without a body', undefined, undefined],
    ['with an empty body', {}, undefined],
  ])('PENDING_APPROVAL to REJECTED %s: nothing is executed', async (_what, body, rejectionReason) => {
    const stage = await open(one, waits);
    const { action, quoteId } = await stage.start();
    const before = await moneyState(stage.sandbox);
    await stage.sandbox.advance(60);
    const answer = await stage.answer(action, 'reject', body);
    expect(answer).toMatchObject({ status: 200, body: { id: action.id, status: 'REJECTED', updatedAt: at(60) } });
    expect([answer.body.rejectionReason, answer.body.transaction]).toEqual([rejectionReason, undefined]);
    expect(await stage.read(action)).toEqual(answer.body);
    expect(await moneyState(stage.sandbox)).toEqual(before);
    if (quoteId !== undefined) expect(await readQuote(stage.sandbox, quoteId)).toMatchObject({ status: 'PENDING' });
    await expectUsage(stage, nothing);
  });

  test.each([
    ['a tightened limit', (stage: Stage) => stage.agent.changePolicy({ spendingLimits: { perTransactionLimit: 1 } })],
    ['a permission taken away', (stage: Stage) => stage.agent.changePolicy({ permissions: [] })],
    [
      'an account that is not allowed any more',
      (stage: Stage) => stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } }),
    ],
    [
      'a payer who is not approved any more, or a bank account that is gone',
      async (stage: Stage) => {
        const body = { customerType: 'INDIVIDUAL', kycStatus: 'REJECTED' };
        must(await stage.sandbox.send('PATCH', `/customers/${stage.customerId}`, { body }));
        if (stage.way === 'transfer in') {
          must(await stage.sandbox.send('DELETE', `/customers/external-accounts/${stage.bankId}`));
        }
      },
    ],
  ])('PENDING_APPROVAL to FAILED at the approval, by %s', async (_what, change) => {
    const stage = await open(one, waits);
    const { action } = await stage.start();
    await change(stage);
    const before = await moneyState(stage.sandbox);
    const answer = await stage.answer(action, 'approve');
    expect(answer).toMatchObject({
      status: 200,
      body: { id: action.id, status: 'FAILED', failure: { message: expect.any(String) } },
    });
    expect(answer.body).not.toHaveProperty('transaction');
    expect(await stage.read(action)).toEqual(answer.body);
    expect(await moneyState(stage.sandbox)).toEqual(before);
    await expectUsage(stage, nothing);
  });

  test('PENDING_APPROVAL to FAILED when its agent is deleted: nobody sees or answers it any more', async () => {
    const stage = await open(one, waits);
    const { action } = await stage.start();
    const before = await moneyState(stage.sandbox);
    const deleted = await stage.sandbox.send('DELETE', `/agents/${stage.agent.id}`);
    expect(deleted.status).toBe(204);
    expect((await stage.sandbox.send('GET', '/agents/approvals')).body).toMatchObject({ data: [], totalCount: 0 });
    expectRefusal(await stage.answer(action, 'approve'), 404, 'AGENT_NOT_FOUND');
    expectRefusal(await stage.answer(action, 'reject'), 404, 'AGENT_NOT_FOUND');
    expect((await stage.agent.send('GET', `/actions/${action.id}`)).status).toBe(401);
    expect(await moneyState(stage.sandbox)).toEqual(before);
  });

  test('APPROVED to FAILED: a transaction that fails later takes the action with it', async () => {
    // Payments from or to accounts that end in 005 take half a minute to fail.
    const stage = await open(one, {}, '005');
    const { action } = await stage.start();
    expect(action.status).toBe('APPROVED');
    await stage.sandbox.advance(29);
    expect((await stage.read(action)).status).toBe('APPROVED');
    await expectUsage(stage, usage(1, spend(one.way)));
    await stage.sandbox.advance(1);
    const failed = await stage.read(action);
    expect(failed).toMatchObject({ status: 'FAILED', updatedAt: at(30), transaction: { status: 'FAILED' } });
    expect(failed.transaction?.id).toBe(action.transaction?.id);
    await expectUsage(stage, nothing);
  });

  test('a payment that fails at once is FAILED from the start, with its transaction if there is one', async () => {
    const stage = await open(one, {}, '002');
    const { action } = await stage.start();
    expect(action).toMatchObject({ status: 'FAILED', transaction: { status: 'FAILED' } });
    await expectUsage(stage, nothing);
  });
});

describe.each(quoteCases)('$kind proofs, a $way', (one) => {
  test('PENDING_APPROVAL to FAILED at the moment when the quote expires', async () => {
    const stage = await open(one, waits);
    const { action, quoteId = '' } = await stage.start();
    await stage.sandbox.advance(299);
    expect((await stage.read(action)).status).toBe('PENDING_APPROVAL');
    await stage.sandbox.advance(1);
    const failed = await stage.read(action);
    const failure = { code: 'QUOTE_EXPIRED' };
    expect(failed).toMatchObject({ status: 'FAILED', failure, updatedAt: at(300), quote: { status: 'EXPIRED' } });
    expect(failed).not.toHaveProperty('transaction');
    expect((await stage.sandbox.send('GET', '/agents/approvals')).body.totalCount).toBe(0);
    expectRefusal(await stage.answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
    expect((await readQuote(stage.sandbox, quoteId)).status).toBe('EXPIRED');
    await expectUsage(stage, nothing);
  });

  test('PENDING_APPROVAL to FAILED for want of money: the quote stays PENDING, and a new action can execute it', async () => {
    const stage = await open(one, waits);
    const tooMuch = one.way === 'quote' ? 100_001 : 5001;
    const { ask } = await stage.prepare(tooMuch);
    const { body: action } = await ask();
    const before = await moneyState(stage.sandbox);
    const answer = await stage.answer(action, 'approve');
    expect(answer).toMatchObject({ status: 200, body: { status: 'FAILED', quote: { status: 'PENDING' } } });
    expect(answer.body).not.toHaveProperty('transaction');
    expect(await moneyState(stage.sandbox)).toEqual(before);
    await expectUsage(stage, nothing);
    const accounts = await accountsOf(stage.sandbox, stage.customerId);
    for (const { id } of accounts) await fund(stage.sandbox, id, 1_000_000);
    const again = await ask();
    expect(again).toMatchObject({ status: 200, body: { status: 'PENDING_APPROVAL' } });
    expect((await stage.answer(again.body, 'approve')).body).toMatchObject({ status: 'APPROVED' });
    expect((await stage.read(action)).status).toBe('FAILED');
  });

  test('PENDING_APPROVAL to FAILED when the platform has executed the quote meanwhile: it is executed once', async () => {
    const stage = await open({ ...one, way: 'quote' }, waits);
    const { action, quoteId = '' } = await stage.start();
    expect((await execute(stage.sandbox, quoteId)).body).toMatchObject({ status: 'COMPLETED' });
    const before = await moneyState(stage.sandbox);
    expect((await stage.answer(action, 'approve')).body).toMatchObject({ status: 'FAILED' });
    expect(await moneyState(stage.sandbox)).toEqual(before);
    await expectUsage(stage, nothing);
  });
});

test.each(kinds)('%s proofs, a transfer out to FAILED for want of money: its transaction says so', async (kind) => {
  const stage = await open({ kind, way: 'transfer out' }, waits);
  const { action } = await stage.start(100_001);
  const answer = await stage.answer(action, 'approve');
  const transaction = { status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS' };
  expect(answer).toMatchObject({ status: 200, body: { status: 'FAILED', transaction } });
  expect(await stage.balance()).toBe(100_000);
  await expectUsage(stage, nothing);
});

/** How to reach each final state, and APPROVED. */
const ends: Readonly<Record<string, (one: Case) => Promise<{ stage: Stage; action: AgentAction }>>> = {
  'APPROVED at once': async (one) => {
    const stage = await open(one);
    return { stage, action: (await stage.start()).action };
  },
  'APPROVED by the platform': async (one) => {
    const stage = await open(one, waits);
    const { action } = await stage.start();
    await stage.answer(action, 'approve');
    return { stage, action };
  },
  REJECTED: async (one) => {
    const stage = await open(one, waits);
    const { action } = await stage.start();
    await stage.answer(action, 'reject', { reason: 'No.' });
    return { stage, action };
  },
  'FAILED at once': async (one) => {
    const stage = await open(one, {}, '002');
    return { stage, action: (await stage.start()).action };
  },
  'FAILED at the approval': async (one) => {
    const stage = await open(one, waits);
    const { action } = await stage.start();
    await stage.agent.changePolicy({ permissions: [] });
    expect((await stage.answer(action, 'approve')).body.status).toBe('FAILED');
    return { stage, action };
  },
  'FAILED later': async (one) => {
    const stage = await open(one, {}, '005');
    const { action } = await stage.start();
    await stage.sandbox.advance(30);
    return { stage, action };
  },
};

describe.each(
  sample(
    Object.keys(ends).flatMap((end) => cases.map((one) => ({ ...one, end }))),
    6,
  ),
)('$kind proofs, a $way, $end', ({ end, ...one }) => {
  test('stays as it is: it can be neither approved nor rejected, and no time changes it', async () => {
    const { stage, action } = (await ends[end]?.(one)) ?? expect.fail();
    const before = await whole(stage, action);
    expect(before.action.status).toBe(end.split(' ')[0]);
    expectRefusal(await stage.answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
    expectRefusal(await stage.answer(action, 'reject'), 409, 'ACTION_NOT_PENDING');
    expectRefusal(await stage.answer(action, 'reject', { reason: 'Late.' }), 409, 'ACTION_NOT_PENDING');
    expect(await whole(stage, action)).toEqual(before);
    // After the end of every quote and every payment.
    await stage.sandbox.advance(1000);
    const { status, updatedAt, rejectionReason } = await stage.read(action);
    const { action: was } = before;
    expect([status, updatedAt, rejectionReason]).toEqual([was.status, was.updatedAt, was.rejectionReason]);
    expect((await stage.agent.look()).usage).toEqual(before.agent.usage);
  });
});

test.each(cases)('$kind proofs, a waiting $way is changed by nothing else that happens to its agent', async (one) => {
  const stage = await open(one, waits);
  const { action } = await stage.start();
  await stage.agent.pause(true);
  await stage.agent.changePolicy({ permissions: [], spendingLimits: { perTransactionLimit: 0, dailyLimit: 0 } });
  await stage.sandbox.advance(200);
  expect(await stage.read(action)).toEqual(action);
  // A quote expires after five minutes. A transfer waits without a limit.
  if (!one.way.includes('quote')) await stage.sandbox.advance(40 * 86_400);
  expect((await stage.read(action)).status).toBe('PENDING_APPROVAL');
  const answer = await stage.answer(action, 'reject');
  expect(answer.body).toMatchObject({ status: 'REJECTED' });
});
