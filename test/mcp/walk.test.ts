/**
 * Promise: an AI agent can follow the README's walk through MCP, in either protocol revision: it looks, pays, waits for
 * an approval, is rejected with a reason, reaches a limit, and is paused.
 */
import { describe, expect, it } from 'vitest';
import { connectTo, eras } from '../support/mcp/client.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

const policy = {
  spendingLimits: { currency: 'USD', perTransactionLimit: 50_000, dailyLimit: 60_000 },
  approvalThresholds: { currency: 'USD', amount: 10_000 },
};

describe.each(eras)('a client of %s', (era) => {
  it.each(['magic', 'real'] as const)('walks it in %s proofs', async (proofs) => {
    const sandbox = await openSandbox({ proofs });
    const stage = await openAgentStage(sandbox, policy);
    const { call, read } = await connectTo(sandbox, stage.agent.accessToken, { era });
    const pay = (amount: number, paymentKey: string) =>
      call('createAgentTransferOut', {
        source: { accountId: stage.accountId },
        destination: { accountId: stage.bankId },
        amount,
        paymentKey,
      });

    const me = await call('getCurrentAgent');
    expect(me.output).toMatchObject({
      id: stage.agent.id,
      isPaused: false,
      perTransactionLimit: { amount: 50_000, currency: 'USD', readable: '500.00 USD' },
      movedToday: { amount: 0, readable: '0.00 USD' },
    });
    const accounts = await call('listAgentInternalAccounts', { currency: 'USD' });
    expect(accounts.output.items).toMatchObject([{ id: stage.accountId, balance: { readable: '1,000.00 USD' } }]);

    const small = await pay(2500, 'bill 1');
    expect(small).toMatchObject({
      isError: false,
      output: { status: 'APPROVED', amount: { readable: '25.00 USD' }, paymentKey: 'bill 1', replayed: false },
    });
    expect(small.text).toContain('25.00 USD: approved');

    const large = await pay(25_000, 'bill 2');
    expect(large.output).toMatchObject({ status: 'PENDING_APPROVAL' });
    expect(large.text).toMatch(
      /A person at the platform decides; nothing has moved\.\n.*getAgentAction.*Do not submit/,
    );
    expect(await read(large.link ?? '')).toMatchObject({ id: large.output.id, status: 'PENDING_APPROVAL' });
    await stage.answer(large.output, 'approve');
    const approved = await call('getAgentAction', { actionId: large.output.id });
    expect(approved.output).toMatchObject({ status: 'APPROVED', transactionStatus: 'COMPLETED' });

    const doubtful = await pay(20_000, 'bill 3');
    await stage.answer(doubtful.output, 'reject', { reason: 'Not before the invoice was checked.' });
    const rejected = await call('getAgentAction', { actionId: doubtful.output.id });
    expect(rejected.output).toMatchObject({
      status: 'REJECTED',
      reason: { untrustedText: 'Not before the invoice was checked.' },
    });
    expect(rejected.text).toContain('do not submit it again');

    const refused = await pay(40_000, 'bill 4');
    expect(refused).toMatchObject({ isError: true, output: undefined });
    expect(refused.text).toContain('403 POLICY_VIOLATION (dailyLimit)');
    expect(refused.text).toContain('Today: at most 600.00 USD. 275.00 USD has moved today (UTC), 325.00 USD is left.');

    await stage.agent.pause(true);
    expect((await pay(100, 'bill 5')).text).toContain('The platform has paused this agent.');
    expect((await call('getCurrentAgent')).output).toMatchObject({ isPaused: true, actionsToday: 2 });
    expect(await stage.balance()).toBe(100_000 - 27_500);
  });
});
