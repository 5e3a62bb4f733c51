/**
 * `describe_account_type`: returns the schema of one type of external account. All of them are too long for the list of
 * tools.
 */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { accountTypes } from '../generated/accountTypes.ts';
import { compactSchema, discriminatorOf, follow, type Json } from './compact.ts';

const union = '#/components/schemas/ExternalAccountInfo';

export const describeAccountType: Tool = {
  name: 'describe_account_type',
  title: 'Describe a type of external account',
  description:
    'Returns the fields of accountInfo for one accountType, for createAgentExternalAccount: a JSON Schema, its currencies, and its payment rails with the fields that each needs beyond the required ones. Calls nothing.',
  inputSchema: {
    type: 'object',
    required: ['accountType'],
    properties: { accountType: { type: 'string', enum: Object.keys(accountTypes) } },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    required: ['accountType', 'currencies', 'rails', 'schema'],
    properties: {
      accountType: { type: 'string', maxLength: 60 },
      currencies: { type: 'array', items: { type: 'string', maxLength: 12 } },
      rails: { type: 'array', items: { type: 'object' } },
      schema: { type: 'object' },
    },
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** Returns the schema of one account type. If there is no such type, the result lists all types. */
export async function describeType(accountType: unknown, document: () => Promise<Json>): Promise<CallToolResult> {
  const name = typeof accountType === 'string' && Object.hasOwn(accountTypes, accountType) ? accountType : undefined;
  const facts = name === undefined ? undefined : accountTypes[name];
  if (name === undefined || facts === undefined) {
    const text = `There is no such accountType. There are: ${Object.keys(accountTypes).join(', ')}.`;
    return { isError: true, content: [{ type: 'text', text }] };
  }
  const { currencies, rails } = facts;
  const output = {
    accountType: name,
    currencies: [...currencies],
    rails: [...rails],
    schema: schemaOf(await document(), name),
  };
  return { structuredContent: output, content: [{ type: 'text', text: JSON.stringify(output) }] };
}

/** @throws Error if the contract has no such type, which the list above rules out */
function schemaOf(document: Json, accountType: string): Json {
  const whole = follow(document, { $ref: union });
  const tag = discriminatorOf(whole);
  const member = (whole['oneOf'] as readonly unknown[]).find((one) => {
    const property = follow(document, (follow(document, one)['properties'] as Json)[tag]);
    return (
      property['const'] === accountType || (property['enum'] as readonly unknown[] | undefined)?.includes(accountType)
    );
  });
  if (member === undefined) throw new Error(`The contract has no account type ${accountType}`);
  return compactSchema(document, member);
}
