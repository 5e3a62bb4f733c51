/**
 * Promise: the tools match the contract: one for every operation that an agent may call, with an output that every
 * example reply fits. All of them together are small enough for a model.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadContract, readBundle } from '../../contract/file.ts';
import { accountTypes } from '../../generated/accountTypes.ts';
import { agentTools, type McpTool, platformTools } from '../../generated/mcpTools.ts';
import { operations } from '../../generated/operations.ts';
import { describeType } from '../../mcp/accountTypes.ts';
import { projectReply } from '../../mcp/project.ts';
import { toolsOf } from '../../mcp/server.ts';

const ajv = new Ajv2020({ strict: false, discriminator: false, validateFormats: false });
const contract = loadContract();
const bundle = readBundle();
const document = async () => bundle;
const byName = new Map(agentTools.map((tool) => [tool.name, tool]));

/**
 * An upper limit of a tool list's tokens. English in JSON has about 4 characters per token (3.9 to 4.2 with the
 * tokenizers that we tried, which counted 9,950 for ours). This function assumes 3.
 */
function countTokens(tools: unknown): number {
  return Math.ceil(JSON.stringify({ tools }).length / 3);
}

describe('the list of tools', () => {
  it('has one for every operation with AgentBearer security, by its name, and one for account types', () => {
    const bearer = operations.filter(({ security }) => security === 'bearer').map(({ id }) => id);
    expect(toolsOf({ hasPlatform: false }).map(({ name }) => name)).toEqual([...bearer, 'describe_account_type']);
  });

  it('stays under 15,000 tokens, counted so that it is too many rather than too few', () => {
    expect(countTokens(toolsOf({ hasPlatform: false }))).toBeLessThan(15_000);
  });

  it('leaves the account types open, and the tool beside it lists them', () => {
    const { properties } = (byName.get('createAgentExternalAccount') as McpTool).inputSchema as {
      properties: { accountInfo: { description: string; additionalProperties: boolean; oneOf?: unknown } };
    };
    expect(properties.accountInfo).toMatchObject({
      additionalProperties: true,
      description: expect.stringContaining('describe_account_type'),
    });
    expect(properties.accountInfo.oneOf).toBeUndefined();
  });

  it('has schemas that are schemas, without references', () => {
    for (const tool of toolsOf({ hasPlatform: true })) {
      expect([tool.name, ajv.validateSchema(tool.inputSchema as object), ajv.errors]).toEqual([tool.name, true, null]);
      expect([tool.name, ajv.validateSchema((tool.outputSchema ?? {}) as object), ajv.errors]).toEqual([
        tool.name,
        true,
        null,
      ]);
      expect(JSON.stringify(tool)).not.toContain('$ref');
    }
  });

  it.each(operations.filter(({ security }) => security === 'bearer').map((one) => [one.id, one] as const))(
    'says of %s what its method and its key mean',
    (id, { method, idempotent }) => {
      const { annotations, inputSchema } = byName.get(id) as McpTool;
      const isRead = method === 'GET';
      expect(annotations.readOnlyHint).toBe(isRead);
      expect(annotations.idempotentHint).toBe(isRead || method === 'DELETE' || idempotent);
      if (isRead) expect(annotations.destructiveHint).toBe(false);
      // A valid call has a key, so repeating it doesn't start anything twice.
      expect((inputSchema['required'] as string[] | undefined)?.includes('paymentKey') ?? false).toBe(idempotent);
    },
  );

  it('calls destructive what deletes or moves money', () => {
    expect(agentTools.filter(({ annotations }) => annotations.destructiveHint).map(({ name }) => name)).toEqual([
      'deleteAgentExternalAccount',
      'executeAgentQuote',
      'createAgentTransferIn',
      'createAgentTransferOut',
    ]);
  });

  it("gives the tester's tools only when they are asked for", () => {
    const added = toolsOf({ hasPlatform: true }).length - toolsOf({ hasPlatform: false }).length;
    expect(added).toBe(platformTools.length);
    expect(platformTools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['updateClock', 'replaceFaults', 'getOutbox', 'approveAgentAction', 'rejectAgentAction']),
    );
  });
});

const replies = agentTools.flatMap((tool) => {
  const operation = operations.find(({ id }) => id === tool.name);
  const examples = operation === undefined ? [] : contract.examples(operation, tool.status);
  return examples.map(({ name, value }) => [tool.name, name, tool, value] as const);
});

describe("the output for the contract's example of", () => {
  it.each(replies)('%s %s fits its schema, and its whole reply fits the contract', (_tool, _name, tool, value) => {
    const more = tool.idempotent ? { paymentKey: 'bill 1', replayed: false } : {};
    const output = projectReply(tool, value, more);
    // Compiled once per tool.
    const fits = ajv.compile(tool.outputSchema);
    expect([fits(output), fits.errors]).toEqual([true, null]);
    expect(JSON.stringify(output).length).toBeLessThan(JSON.stringify(value).length + 400);
  });

  it('is there for every tool that returns something', () => {
    const shown = new Set(replies.map(([tool]) => tool));
    expect(agentTools.filter(({ shape, name }) => shape !== 'none' && !shown.has(name))).toEqual([]);
  });
});

describe('describe_account_type', () => {
  it.each(Object.keys(accountTypes))('returns the fields of %s', async (accountType) => {
    const { structuredContent } = await describeType(accountType, document);
    const { schema } = structuredContent as { schema: { properties: object; required: string[] } };
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(schema.required));
    expect(schema.properties).toMatchObject({ accountType: { enum: [accountType] } });
    expect(ajv.validateSchema(schema)).toBe(true);
  });

  it('returns schemas that the examples of accounts fit', async () => {
    const create = operations.find(({ id }) => id === 'createAgentExternalAccount');
    const examples = create === undefined ? [] : contract.requestExamples(create);
    expect(examples.length).toBeGreaterThan(2);
    for (const { value } of examples) {
      const { accountInfo } = value as { accountInfo: { accountType: string } };
      const { structuredContent } = await describeType(accountInfo.accountType, document);
      const fits = ajv.compile((structuredContent as { schema: object }).schema);
      expect([fits(accountInfo), fits.errors]).toEqual([true, null]);
    }
  });

  it.each(['NO_ACCOUNT', '__proto__', 'constructor', 7, undefined])(
    'says of %s which there are',
    async (accountType) => {
      const result = await describeType(accountType, document);
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain('USD_ACCOUNT');
    },
  );
});
