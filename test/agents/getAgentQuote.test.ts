/** Promise: an agent reads the current state of its own quotes, and of no others, not even its customer's (D79). */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { agentQuote, executeAs, mustQuoteAs, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { openAgent, openAgentStage, type TestAgent } from '../support/scenes/agents.ts';
import { execute, nobody, readQuote } from '../support/scenes/payments.ts';

testAgentOperation('getAgentQuote', async (stage) => ({ path: `/quotes/${(await mustQuoteAs(stage)).id}` }));

async function open(suffix?: string) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, {}, suffix);
  const quote = await mustQuoteAs(stage);
  const read = (id = quote.id, agent: TestAgent = stage.agent) => agent.send('GET', `/quotes/${id}`);
  return { sandbox, stage, quote, read };
}

describe('reading', () => {
  test('it as it was made, and EXPIRED from the very moment on', async () => {
    const { sandbox, quote, read } = await open();
    for (const [seconds, status] of [
      [0, 'PENDING'],
      [299.999, 'PENDING'],
      [0.001, 'EXPIRED'],
      [86_400, 'EXPIRED'],
    ] as const) {
      await sandbox.advance(seconds);
      const answer = await read();
      expect([answer.status, answer.body]).toEqual([200, { ...quote, status }]);
      expect(await readQuote(sandbox, quote.id)).toEqual(answer.body);
    }
  });

  test.each([
    ['001', 'COMPLETED', 'COMPLETED'],
    ['002', 'FAILED', 'FAILED'],
    ['003', 'PROCESSING', 'COMPLETED'],
    ['005', 'COMPLETED', 'FAILED'],
  ])('…%s: %s when it was executed, %s in the end', async (suffix, first, last) => {
    const { sandbox, stage, quote, read } = await open(suffix);
    expect((await executeAs(stage.agent, quote)).status).toBe(200);
    expect((await read()).body).toEqual({ ...quote, status: first });
    await sandbox.advance(360);
    expect((await read()).body).toEqual({ ...quote, status: last });
  });

  test('what the platform did with it', async () => {
    const { sandbox, quote, read } = await open();
    expect((await execute(sandbox, quote.id)).status).toBe(200);
    expect((await read()).body).toEqual({ ...quote, status: 'COMPLETED' });
  });
});

describe('404', () => {
  test("for the platform's quote of the same customer", async () => {
    const { sandbox, stage, read } = await open();
    const { body } = await sandbox.send('POST', '/quotes', { body: agentQuote(stage) });
    expectRefusal(await read(body.id), 404, 'QUOTE_NOT_FOUND');
  });

  test("for another agent's, of the same customer and of others", async () => {
    const { sandbox, stage, quote, read } = await open();
    const sibling = await openAgent(sandbox, stage.customerId);
    const stranger = await openAgentStage(sandbox);
    const abroad = await openAgentStage(await openPlatform(sandbox));
    for (const agent of [sibling, stranger.agent, abroad.agent]) {
      expectRefusal(await read(quote.id, agent), 404, 'QUOTE_NOT_FOUND');
    }
    for (const other of [stranger, abroad]) {
      expectRefusal(await read((await mustQuoteAs(other)).id), 404, 'QUOTE_NOT_FOUND');
    }
  });

  test.each([nobody('Quote'), 'Quote:x', 'Transaction:1', 'x', '%00'])('for %s', async (id) => {
    const { read } = await open();
    expectRefusal(await read(id), 404, 'QUOTE_NOT_FOUND');
  });
});
