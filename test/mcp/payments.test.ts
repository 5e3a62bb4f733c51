/**
 * Promise: a payment is identified by its paymentKey. The same key pays once, whatever happens to the answer or the
 * client. Another key pays again.
 */
import { describe, expect, it } from 'vitest';
import { idempotencyKeyOf } from '../../mcp/identity.ts';
import { connectTo } from '../support/mcp/client.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { type AgentStage, openAgentStage } from '../support/scenes/agents.ts';

async function openPayer(sandboxOf: (sandbox: TestSandbox) => Pick<TestSandbox, 'fetch'> = (sandbox) => sandbox) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox);
  const client = await connectTo(sandboxOf(sandbox), stage.agent.accessToken);
  const pay = (paymentKey: string | undefined, amount = 2500) =>
    client.call('createAgentTransferOut', {
      ...sides(stage),
      amount,
      ...(paymentKey === undefined ? {} : { paymentKey }),
    });
  return { sandbox, stage, pay, ...client };
}

function sides({ accountId, bankId }: AgentStage) {
  return { source: { accountId }, destination: { accountId: bankId } };
}

describe('paymentKey', () => {
  it('pays once for the same name, and says that it was the same', async () => {
    const { stage, pay } = await openPayer();
    const first = await pay('invoice 7');
    const second = await pay('invoice 7');
    expect(second.output).toEqual({ ...first.output, replayed: true });
    expect(second.text).toContain('nothing was started again');
    expect(await stage.balance()).toBe(97_500);
  });

  it('pays again for another name, though all else is the same', async () => {
    const { stage, pay } = await openPayer();
    await pay('invoice 7');
    expect((await pay('invoice 8')).output.replayed).toBe(false);
    expect(await stage.balance()).toBe(95_000);
  });

  it('is made up and returned where there is none, and then stands for that payment', async () => {
    const { stage, pay } = await openPayer();
    const first = await pay(undefined);
    expect(first.output.paymentKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.text).toContain(first.output.paymentKey);
    expect((await pay(first.output.paymentKey)).output).toMatchObject({ id: first.output.id, replayed: true });
    await pay(undefined);
    expect(await stage.balance()).toBe(95_000);
  });

  it('is refused for another payment, and says to use a new one', async () => {
    const { stage, pay } = await openPayer();
    await pay('invoice 7');
    const other = await pay('invoice 7', 9900);
    expect(other.text).toMatch(/422 IDEMPOTENCY_KEY_REUSED[\s\S]*Use a new one for a payment that is another/);
    expect(await stage.balance()).toBe(97_500);
  });

  it.each(['', 'x'.repeat(201), 7, null, {}])('%j is none', async (paymentKey) => {
    const { stage, call } = await openPayer();
    const result = await call('createAgentTransferOut', { ...sides(stage), amount: 100, paymentKey });
    expect(result).toMatchObject({ isError: true, text: 'paymentKey is a text of 1 to 200 characters.' });
    expect(await stage.balance()).toBe(100_000);
  });

  it('makes a UUID that the interface takes, the same everywhere', async () => {
    expect(await idempotencyKeyOf('invoice 7')).toBe(await idempotencyKeyOf('invoice 7'));
    expect(await idempotencyKeyOf('invoice 7')).not.toBe(await idempotencyKeyOf('invoice 8'));
    for (const name of ['', 'ä'.repeat(200), '\u0000']) {
      expect(await idempotencyKeyOf(name)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });

  it('executes a quote once', async () => {
    const { stage, call } = await openPayer();
    const quote = await call('createAgentQuote', {
      source: { sourceType: 'ACCOUNT', accountId: stage.accountId },
      destination: { destinationType: 'ACCOUNT', accountId: stage.bankId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 2500,
      paymentKey: 'invoice 7',
    });
    expect(quote.output).toMatchObject({ status: 'PENDING', sends: { readable: '25.00 USD' } });
    const execute = () => call('executeAgentQuote', { quoteId: quote.output.id, paymentKey: 'invoice 7' });
    const first = await execute();
    expect(first.output).toMatchObject({ type: 'EXECUTE_QUOTE', status: 'APPROVED', quoteId: quote.output.id });
    expect((await execute()).output).toEqual({ ...first.output, replayed: true });
    expect(await stage.balance()).toBe(97_500);
  });
});

describe('an answer that is lost', () => {
  it('leaves the key to repeat the call with, which pays once', async () => {
    const { sandbox, stage, pay } = await openPayer();
    const planted = await sandbox.control('PUT', '/faults', {
      body: { rules: [{ operation: 'createAgentTransferOut', times: 1, drop: 'after' }] },
    });
    expect([planted.status, planted.body]).toEqual([200, expect.anything()]);
    const lost = await pay('invoice 7');
    expect(lost.isError).toBe(true);
    expect(lost.text).toContain('it is unknown whether this was carried out');
    expect(lost.text).toContain('paymentKey "invoice 7"');
    expect((await pay('invoice 7')).output).toMatchObject({ status: 'APPROVED' });
    expect(await stage.balance()).toBe(97_500);
  });
});

describe('a client that goes away in the middle of a payment', () => {
  it("has still paid, and a repetition with its key doesn't pay again", async () => {
    const sandbox = await openSandbox();
    const stage = await openAgentStage(sandbox);
    const { client } = await connectTo(sandbox, stage.agent.accessToken);
    const given = { ...sides(stage), amount: 2500, paymentKey: 'invoice 7' };
    const gone = new AbortController();
    const call = client.callTool({ name: 'createAgentTransferOut', arguments: given }, { signal: gone.signal });
    gone.abort();
    await expect(call).rejects.toThrow();
    await client.close();

    const again = await connectTo(sandbox, stage.agent.accessToken);
    expect((await again.call('createAgentTransferOut', given)).output).toMatchObject({ status: 'APPROVED' });
    expect((await again.call('createAgentTransferOut', given)).output).toMatchObject({ replayed: true });
    expect(await stage.balance()).toBe(97_500);
  });
});
