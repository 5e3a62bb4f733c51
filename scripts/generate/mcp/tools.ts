/** Writes the tools for an AI agent from the operations of both contracts. */
import { compactSchema, follow, type Json, type Reword, shorten } from '../../../mcp/compact.ts';
import type { ContractDocument } from '../../lib/contract.ts';
import { type AccountTypeFacts, readAccountTypes } from '../accountTypes.ts';
import { type Facts, readOperations } from '../facts.ts';
import { outputOf } from './outputs.ts';
import { projections } from './projections.ts';

/** A tester's operations: those of the control contract, and those with which a platform answers pending actions. */
const testersOwn = ['getClock', 'updateClock', 'getFaults', 'replaceFaults', 'deleteFaults', 'getOutbox'];
const platformsOwn = ['listAgentApprovals', 'approveAgentAction', 'rejectAgentAction'];

const paymentKey = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description:
    'A name that you choose for this payment. Use the same name if you repeat the call, so that it pays only once. Use a new name for another payment.',
};
const payment = {
  required: ['paymentKey', 'replayed'],
  properties: { paymentKey: { type: 'string', maxLength: 200 }, replayed: { type: 'boolean' } },
};

interface Tool {
  readonly name: string;
  readonly inputs: Readonly<Record<string, { readonly in: string; readonly name: string }>>;
  readonly [fact: string]: unknown;
}

/**
 * The text of `generated/mcpTools.ts` without the header comment.
 * @param guide the guide for agents, in Markdown
 * @throws Error for an input name that two places want, or a field of a projection that no reply has
 */
export function writeMcpTools(contract: ContractDocument, control: ContractDocument, guide: string): string {
  const operations = readOperations(contract);
  const reword = rewordBy(operations);
  const identifiers = [...new Set(readAccountTypes(contract).flatMap((one: AccountTypeFacts) => one.identifiers))];
  const ofContract = (facts: Facts) => toolOf(contract, facts, { surface: 'interface', reword, identifiers });
  const agents = operations.filter(({ security }) => security === 'bearer').map(ofContract);
  const ofPlatform = platformsOwn.map((id) => ofContract(mustFind(operations, id)));
  const ofControl = readOperations(control);
  const testers = testersOwn.map((id) =>
    toolOf(control, mustFind(ofControl, id), { surface: 'control', reword: (text) => text, identifiers }),
  );
  return [
    toolInterface,
    '',
    '/** One for every operation that an agent may call. */',
    `export const agentTools: readonly McpTool[] = ${JSON.stringify(agents, null, 2)};`,
    '',
    "/** For the sandbox's tester. */",
    `export const platformTools: readonly McpTool[] = ${JSON.stringify([...testers, ...ofPlatform], null, 2)};`,
    '',
    '/** What the interface tells agents. */',
    `export const agentGuide = ${JSON.stringify(guide)};`,
    '',
  ].join('\n');
}

const toolInterface = `/** How a field of a tool's output comes about: of several places in the reply the first that is there counts. */
export type McpField =
  | { readonly kind: 'value' | 'text' | 'ending'; readonly at: readonly string[] }
  | { readonly kind: 'money'; readonly at: readonly string[]; readonly currencyAt: readonly string[] };

/** A tool, and the operation that it calls. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The contract of the operation. */
  readonly surface: 'interface' | 'control';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The status of a success. */
  readonly status: number;
  /** Whether it takes an \`Idempotency-Key\`, which is made from \`paymentKey\`. */
  readonly idempotent: boolean;
  /** Where each argument goes. */
  readonly inputs: Readonly<Record<string, { readonly in: 'path' | 'query' | 'header' | 'body'; readonly name: string }>>;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  /** What the reply holds: one record, a page of records, nothing, or something that is returned unchanged. */
  readonly shape: 'one' | 'page' | 'none' | 'whole';
  /** The record's schema in the contract. */
  readonly record: string | null;
  readonly projection: Readonly<Record<string, McpField>> | null;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}`;

/** What a description must also say. */
interface Manner {
  readonly isAgents: boolean;
  readonly beginsAction: boolean;
}

interface Surroundings {
  readonly surface: 'interface' | 'control';
  readonly reword: Reword;
  /** The fields of all account types that hold a number or address. */
  readonly identifiers: readonly string[];
}

function toolOf(contract: ContractDocument, facts: Facts, { surface, reword, identifiers }: Surroundings): Tool {
  const document = contract as unknown as Json;
  const item = contract.paths[facts.path] as Json;
  const operation = item[facts.method.toLowerCase()] as Json;
  const { inputs, inputSchema } = inputOf(document, item, operation, reword);
  const status = facts.statuses.find((one) => one < 300) ?? 200;
  const { shape, record, projection, outputSchema } = replyOf(document, operation, status, identifiers);
  const isRead = facts.method === 'GET';
  return {
    name: facts.id,
    title: String(operation['summary']),
    description: describe(document, operation, reword, {
      isAgents: surface === 'interface' && facts.security === 'bearer',
      beginsAction: !isRead && record === 'AgentAction',
    }),
    surface,
    method: facts.method,
    path: facts.path,
    status,
    idempotent: facts.idempotent,
    inputs,
    inputSchema: facts.idempotent ? withPaymentKey(inputSchema) : inputSchema,
    outputSchema: facts.idempotent ? withPayment(outputSchema) : outputSchema,
    shape,
    record,
    projection,
    annotations: {
      readOnlyHint: isRead,
      // Operations that delete, replace, or start an action, which moves money.
      destructiveHint: ['DELETE', 'PUT'].includes(facts.method) || (!isRead && record === 'AgentAction'),
      idempotentHint: isRead || ['DELETE', 'PUT'].includes(facts.method) || facts.idempotent,
      openWorldHint: !isRead && record === 'AgentAction',
    },
  };
}

/** The arguments of a tool: parameters and the body's fields, side by side. */
function inputOf(document: Json, item: Json, operation: Json, reword: Reword) {
  const parameters = [...((item['parameters'] ?? []) as Json[]), ...((operation['parameters'] ?? []) as Json[])];
  const given: [name: string, place: { in: string; name: string }, schema: Json, isRequired: boolean][] = [];
  for (const one of parameters) {
    const { name, in: place, schema, required, description } = follow(document, one) as Record<string, string> & Json;
    // The server makes it from `paymentKey`.
    if (String(name).toLowerCase() === 'idempotency-key') continue;
    const shown = compactSchema(document, { ...(schema as unknown as Json), description }, reword);
    given.push([camelCase(String(name)), { in: String(place), name: String(name) }, shown, Boolean(required)]);
  }
  const body = follow(document, operation['requestBody'] ?? {})['content'] as Json | undefined;
  if (body !== undefined) {
    const schema = follow(document, (body['application/json'] as Json)['schema']);
    const needed = (schema['required'] ?? []) as string[];
    for (const [name, property] of Object.entries(schema['properties'] as Json)) {
      const shown = hintAtTypes(name, compactSchema(document, property, reword));
      given.push([name, { in: 'body', name }, shown, needed.includes(name)]);
    }
  }
  const names = given.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${String(operation['operationId'])} has two inputs named ${twice}`);
  const required = given.filter(([, , , isRequired]) => isRequired).map(([name]) => name);
  return {
    inputs: Object.fromEntries(given.map(([name, place]) => [name, place])),
    inputSchema: {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(given.map(([name, , schema]) => [name, schema])),
      additionalProperties: false,
    } as Json,
  };
}

/** Replaces the 44 account types with a hint, because they would fill the list of tools. */
function hintAtTypes(name: string, schema: Json): Json {
  if (name !== 'accountInfo') return schema;
  return {
    ...schema,
    description: 'Where the account is. Its fields depend on accountType: call describe_account_type.',
  };
}

function withPaymentKey(schema: Json): Json {
  const { required = [], properties } = schema as { required?: string[]; properties: Json };
  return { ...schema, required: [...required, 'paymentKey'], properties: { ...properties, paymentKey } };
}

function withPayment(schema: Json): Json {
  const { required, properties } = schema as { required: string[]; properties: Json };
  return {
    ...schema,
    required: [...required, ...payment.required],
    properties: { ...properties, ...payment.properties },
  };
}

function replyOf(document: Json, operation: Json, status: number, identifiers: readonly string[]) {
  const response = follow(document, (operation['responses'] as Json)[status]);
  const content = response['content'] as Json | undefined;
  if (content === undefined) {
    return { shape: 'none', record: null, projection: null, outputSchema: doneSchema };
  }
  const { schema } = content['application/json'] as { readonly schema: Json };
  const list = (follow(document, schema)['properties'] as Json | undefined)?.['data'] as Json | undefined;
  const recordSchema = list === undefined ? schema : (follow(document, list)['items'] as Json);
  const record =
    String(recordSchema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? '';
  const projection = projections[record]?.(identifiers);
  if (projection === undefined) {
    return { shape: 'whole', record, projection: null, outputSchema: withoutProse(compactSchema(document, schema)) };
  }
  const one = outputOf(document, recordSchema, projection);
  return {
    shape: list === undefined ? 'one' : 'page',
    record,
    projection,
    outputSchema: list === undefined ? one : pageOf(one),
  };
}

/** Removes descriptions from an output schema, because field names are enough there. */
function withoutProse(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(withoutProse) as unknown as Json;
  if (typeof schema !== 'object' || schema === null) return schema as unknown as Json;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !['description', 'pattern'].includes(name) || typeof value !== 'string')
      .map(([name, value]) => [name, withoutProse(value)]),
  );
}

const doneSchema = { type: 'object', required: ['done'], properties: { done: { type: 'boolean' } } };

function pageOf(items: Json): Json {
  return {
    type: 'object',
    required: ['items', 'hasMore', 'totalCount'],
    properties: {
      items: { type: 'array', items },
      hasMore: { type: 'boolean' },
      nextCursor: { type: 'string', maxLength: 2000 },
      totalCount: { type: 'integer' },
    },
  };
}

const longestDescription = 420;

/** Summary and first paragraph, worded for a model. If it starts an action, also the meaning of the status. */
function describe(document: Json, operation: Json, reword: Reword, { isAgents, beginsAction }: Manner): string {
  const [first = ''] = String(operation['description'] ?? '').split(/\n\s*\n/);
  // A sentence that introduces a table has no meaning without it.
  const told = reword(first)
    .replaceAll(/\bAnswers 20\d with\b/g, 'Returns')
    .replaceAll(/\bAnswers 20\d; (\w)/g, (_whole, next: string) => next.toUpperCase())
    .replace(/;[^;.]*:\s*$/, '.');
  const statuses = (document['components'] as { readonly schemas: Json }).schemas['AgentActionStatus'] as
    | Json
    | undefined;
  const parts = [
    ...(isAgents ? [] : ["For the sandbox's tester."]),
    `${String(operation['summary'])}.`,
    shorten(told, longestDescription),
    ...(beginsAction ? [`Its status: ${String(statuses?.['description']).replace(/^[^.]*\. /, '')}`] : []),
    ...(operation['x-agent-permission'] === undefined
      ? []
      : [`Needs the permission ${String(operation['x-agent-permission'])}.`]),
  ];
  return parts.join(' ');
}

/** Replaces the method and path of an operation in a text with the name of its tool. */
function rewordBy(operations: readonly Facts[]): Reword {
  const tools = new Map(
    operations.filter(({ security }) => security === 'bearer').map(({ method, path, id }) => [`${method} ${path}`, id]),
  );
  return (text) =>
    text.replaceAll(/`((?:GET|POST|PUT|PATCH|DELETE)\s+\S+?)`/g, (whole, call: string) => {
      const tool = tools.get(call.replaceAll(/\s+/g, ' '));
      return tool === undefined ? whole : `\`${tool}\``;
    });
}

/** `Service-Wallet-Signature` becomes the argument `serviceWalletSignature`. */
function camelCase(name: string): string {
  return name
    .split('-')
    .map((part, index) => (index === 0 ? part.charAt(0).toLowerCase() + part.slice(1) : part))
    .join('');
}

function mustFind(operations: readonly Facts[], id: string): Facts {
  const found = operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`The contract has no operation ${id}, which a tool needs`);
  return found;
}
