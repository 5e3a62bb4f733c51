/**
 * Promise: above a threshold the client's user is asked first, if the client can ask. If the user says no, nothing is
 * sent.
 */
import { describe, expect, it, vi } from 'vitest';
import { connectTo, eras } from '../support/mcp/client.ts';
import { byLength } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

const yes = { action: 'accept', content: { pay: true } };
/** Answers yes and records the question. */
function keep(asked: string[]): (message: string) => object {
  return (message) => {
    asked.push(message);
    return yes;
  };
}

const policy = { approvalThresholds: { currency: 'USD', amount: 10_000 } };

async function openPayer(options: Parameters<typeof connectTo>[2], given: object = policy) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, given);
  const client = await connectTo(sandbox, stage.agent.accessToken, options);
  const pay = (amount: number) =>
    client.call('createAgentTransferOut', {
      source: { accountId: stage.accountId },
      destination: { accountId: stage.bankId },
      amount,
      paymentKey: `${amount}`,
    });
  return { sandbox, stage, pay, ...client };
}

describe.each(byLength(['2026'] as const, eras))('with a client of %s', (era) => {
  it('asks above the threshold of the policy, and once; the platform decides anyway', async () => {
    const asked: string[] = [];
    const { stage, pay } = await openPayer({ era, answer: keep(asked) });
    expect((await pay(10_000)).output.status).toBe('APPROVED');
    expect(asked).toEqual([]);
    expect((await pay(10_001)).output.status).toBe('PENDING_APPROVAL');
    expect(asked).toEqual([`The agent wants to pay 100.01 USD from ${stage.accountId} to ${stage.bankId}. Go on?`]);
  });

  it.each([
    ['no', { action: 'decline' }],
    ['nothing', { action: 'cancel' }],
    ['yes to nothing', { action: 'accept', content: { pay: false } }],
  ])('an answer of %s sends nothing', async (_name, answer) => {
    const { stage, pay } = await openPayer({ era, answer: () => answer });
    const declined = await pay(20_000);
    expect(declined).toMatchObject({ isError: true, output: undefined });
    expect(declined.text).toContain('Nothing was sent, and no money moved.');
    expect((await stage.agent.send('GET', '/actions')).body.totalCount).toBe(0);
  });

  it('asks nobody where the client can not', async () => {
    const { pay } = await openPayer({ era });
    expect((await pay(20_000)).output.status).toBe('PENDING_APPROVAL');
  });
});

describe('the threshold', () => {
  it.each([
    ['?askAbove=0', 1, 1],
    ['?askAbove=5000', 5000, 0],
    ['?askAbove=5000', 5001, 1],
    ['?askAbove=never', 20_000, 0],
  ])('%s: a payment of %i asks %i times', async (query, amount, times) => {
    const answer = vi.fn(() => yes);
    const { pay } = await openPayer({ query, answer });
    expect((await pay(amount)).isError).toBe(false);
    expect(answer).toHaveBeenCalledTimes(times);
  });

  it('is none where the policy has none', async () => {
    const answer = vi.fn(() => yes);
    const { pay } = await openPayer({ answer }, {});
    expect((await pay(90_000)).output.status).toBe('APPROVED');
    expect(answer).not.toHaveBeenCalled();
  });

  it('counts for a quote too', async () => {
    const asked: string[] = [];
    const { stage, call } = await openPayer({ answer: keep(asked) });
    const { output } = await call('createAgentQuote', {
      source: { sourceType: 'ACCOUNT', accountId: stage.accountId },
      destination: { destinationType: 'ACCOUNT', accountId: stage.bankId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 20_000,
      paymentKey: 'bill',
    });
    expect(asked).toEqual([]);
    await call('executeAgentQuote', { quoteId: output.id, paymentKey: 'bill' });
    expect(asked).toEqual([`The agent wants to pay 200.00 USD with ${output.id}. Go on?`]);
  });
});
