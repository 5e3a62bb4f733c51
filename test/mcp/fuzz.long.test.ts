/**
 * Promise: whatever a model sends to a tool, valid or invalid, the session continues, no secret is shown, and every
 * output fits the tool's schema.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentTools, type McpTool } from '../../generated/mcpTools.ts';
import { operations } from '../../generated/operations.ts';
import { openPool } from '../fuzz/picks.ts';
import { brokenRequests, validRequests } from '../fuzz/requests.ts';
import { connectTo, type TestClient } from '../support/mcp/client.ts';
import type { Targets } from '../support/requests/targets.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

type Parts = Parameters<typeof argumentsOf>[1];
const numRuns = 200;

/** Converts a request of the contract to the arguments of its tool. */
function argumentsOf(
  { inputs }: McpTool,
  {
    path,
    query,
    headers,
    body,
  }: { path: object; query: readonly (readonly [string, string])[]; headers: object; body: unknown },
): Record<string, unknown> {
  const places = { path, query: Object.fromEntries(query), header: headers } as Record<string, Record<string, unknown>>;
  const given = Object.entries(inputs).flatMap(([name, { in: place, name: target }]) => {
    const value = place === 'body' ? undefined : places[place]?.[target];
    return value === undefined ? [] : [[name, value] as const];
  });
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return { ...Object.fromEntries(given), ...fields };
}

async function openFuzzed() {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox);
  const client = await connectTo(sandbox, stage.agent.accessToken);
  const pool = openPool({ customer: { id: stage.customerId }, accountId: stage.accountId } as Targets);
  pool.learn([stage.bankId, (await stage.act(100)).id]);
  return { sandbox, stage, client, pool };
}

/** Calls the tool and checks the rules for every result. A message that isn't valid is refused. */
async function callAny(
  { client }: TestClient,
  name: string,
  args: Record<string, unknown>,
  secret: string,
): Promise<unknown> {
  try {
    const result = await client.callTool({ name, arguments: args });
    expect(JSON.stringify(result)).not.toContain(secret);
    // A refusal has a reason and no output. A success has an output, which the client has compared with its schema.
    expect([name, result.isError ?? false]).toEqual([name, result.structuredContent === undefined]);
    return result.structuredContent;
  } catch (error) {
    expect(String(error)).not.toMatch(/structured|output schema/i);
    expect(String(error)).not.toContain(secret);
    return undefined;
  }
}

describe('through the tool', () => {
  it.each(agentTools.map((tool) => [tool.name, tool] as const))('%s', async (name, tool) => {
    const { sandbox, stage, client, pool } = await openFuzzed();
    const operation = operations.find(({ id }) => id === name);
    if (operation === undefined) throw new Error(`No operation ${name}`);
    const requests = fc.oneof(validRequests(operation), brokenRequests(operation)) as fc.Arbitrary<Parts>;
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.option(fc.string({ unit: 'binary', maxLength: 250 }), { nil: undefined }),
        async (parts, key) => {
          const args = pool.settle(argumentsOf(tool, parts));
          const keyed = tool.idempotent && key !== undefined ? { ...args, paymentKey: key } : args;
          pool.learn(await callAny(client, name, keyed, stage.agent.accessToken));
        },
      ),
      { numRuns },
    );
    expect((await client.call('getCurrentAgent')).output).toMatchObject({ id: stage.agent.id });
    expect(sandbox.log).toEqual([]);
  });
});

describe('with arbitrary arguments', () => {
  it('for arguments', async () => {
    const { sandbox, stage, client } = await openFuzzed();
    const names = fc.constantFrom(...agentTools.map(({ name }) => name), 'describe_account_type', '__proto__', '');
    await fc.assert(
      fc.asyncProperty(names, fc.dictionary(fc.string(), fc.jsonValue()), async (name, args) => {
        await callAny(client, name, args as Record<string, unknown>, stage.agent.accessToken);
      }),
      { numRuns: numRuns },
    );
    expect((await client.call('getCurrentAgent')).output).toMatchObject({ id: stage.agent.id });
    expect(sandbox.log).toEqual([]);
  });

  it('for a field of a payment', async () => {
    const { stage, client } = await openFuzzed();
    const right = { source: { accountId: stage.accountId }, destination: { accountId: stage.bankId }, amount: 1 };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('source', 'destination', 'amount', 'paymentKey'),
        fc.jsonValue(),
        async (field, value) => {
          await callAny(client, 'createAgentTransferOut', { ...right, [field]: value }, stage.agent.accessToken);
        },
      ),
      { numRuns: numRuns },
    );
    expect(await stage.balance()).toBeLessThanOrEqual(100_000);
  });
});
