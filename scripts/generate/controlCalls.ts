/** Writes the methods with which a program calls the control surface: one per operation, in groups, with types. */
import {
  type ContractDocument,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  type Response,
  resolveRef,
  type Schema,
  schemaName,
} from '../lib/contract.ts';
import { readOperations } from './facts.ts';

/** A method of the control client. */
interface Call {
  readonly group: string;
  readonly name: string;
  readonly says: string;
  /** The parameters of its type, in order. */
  readonly takes: readonly string[];
  readonly returns: string;
  /** Names of the contract's types that it uses. */
  readonly types: readonly string[];
  /** Its line in the table of calls. */
  readonly facts: string;
}

/**
 * Writes the text of `generated/controlCalls.ts` for the bundled contract, without the header comment.
 *
 * @throws Error if two operations would get the same name, if a name isn't `group.name`, or if a method can't have this
 * kind of body or reply.
 */
export function writeControlCalls(contract: ContractDocument): string {
  const calls = readOperations(contract).map(({ id, security }) => readCall(contract, id, security));
  const groups = Map.groupBy(calls, ({ group }) => group);
  for (const [group, members] of groups) {
    const names = members.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`Two operations are called ${group}.${twice}: give one an x-call`);
  }
  const types = [...new Set(calls.flatMap(({ types }) => types))].sort();
  return [
    `import type { ${['operations', ...types].join(', ')} } from './controlTypes.ts';`,
    '',
    '/** What every call takes beside what its operation does. */',
    'export interface CallOptions {',
    '  /** Aborts the call. If it reads a stream, the stream ends. */',
    '  readonly signal?: AbortSignal | undefined;',
    '}',
    '',
    '/** Every operation of the control surface as a method. What it returns is the body of the reply. */',
    'export interface ControlCalls {',
    ...[...groups].flatMap(([group, members]) => [`  readonly ${group}: {`, ...members.flatMap(writeMethod), '  };']),
    '}',
    '',
    '/** What a call needs to know of its operation. */',
    'export interface ControlCallFacts {',
    '  readonly group: string;',
    '  readonly name: string;',
    '  readonly method: string;',
    '  /** Below `/__sandbox`. */',
    '  readonly path: string;',
    '  /** Which credentials are sent: those of a platform, the control token of the operator, or none. */',
    "  readonly caller: 'manager' | 'operator' | 'anyone';",
    '  /** The arguments of the method, in this order: a value for each path parameter, a body, a query. */',
    '  readonly inPath: readonly string[];',
    '  readonly hasBody: boolean;',
    '  readonly hasQuery: boolean;',
    "  readonly reply: 'json' | 'text' | 'events' | 'nothing';",
    '}',
    '',
    'export const controlCalls: readonly ControlCallFacts[] = [',
    ...calls.map(({ facts }) => `  ${facts},`),
    '];',
    '',
  ].join('\n');
}

function writeMethod({ name, says, takes, returns }: Call): string[] {
  const lines = says.trim().split('\n');
  return [
    '    /**',
    ...lines.map((line) => `     * ${line}`.trimEnd()),
    '     */',
    `    ${name}(${[...takes, 'options?: CallOptions'].join(', ')}): ${returns};`,
  ];
}

const callers = { basic: 'manager', bearer: 'operator', none: 'anyone' } as const;

function readCall(contract: ContractDocument, id: string, security: keyof typeof callers): Call {
  const { method, path, operation } = findOperation(contract, id);
  const [group = '', name = ''] = callOf(operation);
  const parameters = (operation.parameters ?? []).map((one: MaybeRef<Parameter>) => resolveRef(contract, one));
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  const body = operation.requestBody && resolveRef(contract, operation.requestBody);
  const bodyType = body && nameOf(id, body.content?.['application/json']?.schema);
  const { kind, type } = readReply(contract, operation);
  const facts = [
    `group: '${group}'`,
    `name: '${name}'`,
    `method: '${method.toUpperCase()}'`,
    `path: '${path}'`,
    `caller: '${callers[security]}'`,
    `inPath: [${inPath.map((one) => `'${one}'`).join(', ')}]`,
    `hasBody: ${bodyType !== undefined}`,
    `hasQuery: ${hasQuery}`,
    `reply: '${kind}'`,
  ];
  return {
    group,
    name,
    says: `${operation.summary}: \`${method.toUpperCase()} ${path}\`. ${operation.description ?? ''}`,
    takes: [
      ...inPath.map((one) => `${one}: string`),
      ...(bodyType === undefined ? [] : [`body${body?.required === true ? '' : '?'}: ${bodyType}`]),
      ...(hasQuery ? [`query?: operations['${id}']['parameters']['query']`] : []),
    ],
    returns: kind === 'events' ? `AsyncIterableIterator<${type}>` : `Promise<${type}>`,
    types: [bodyType, kind === 'json' || kind === 'events' ? type : undefined].filter((one) => one !== undefined),
    facts: `{ ${facts.join(', ')} }`,
  };
}

function findOperation(contract: ContractDocument, id: string) {
  for (const [path, item] of Object.entries(contract.paths)) {
    for (const method of httpMethods) {
      const operation = item[method] as Operation | undefined;
      if (operation?.operationId === id) return { method, path, operation };
    }
  }
  throw new Error(`There is no operation ${id}`);
}

/** `clock.get` for `getClock`, unless the contract names another call. */
function callOf({ operationId, 'x-call': given }: Operation): string[] {
  const [, verb, noun = ''] = /^([a-z]+)([A-Z]\w*)$/.exec(operationId) ?? [];
  const call = given ?? `${noun.charAt(0).toLowerCase()}${noun.slice(1)}.${verb}`;
  if (!/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/.test(call)) {
    throw new Error(`${operationId} would be called ${call}: give it an x-call such as clock.get`);
  }
  return call.split('.');
}

/** The kind and type of an operation's only success reply. */
function readReply(contract: ContractDocument, { operationId, responses }: Operation) {
  const [[, success] = []] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const content = success === undefined ? {} : (resolveRef<Response>(contract, success).content ?? {});
  const [[media, { schema }] = [undefined, {}]] = Object.entries(content);
  if (media === undefined) return { kind: 'nothing', type: 'void' } as const;
  if (media === 'application/json') return { kind: 'json', type: nameOf(operationId, schema) } as const;
  if (media === 'text/event-stream') return { kind: 'events', type: eventOf(contract, operationId, schema) } as const;
  if (media.startsWith('text/')) return { kind: 'text', type: 'string' } as const;
  throw new Error(`${operationId} replies with ${media}, which no method of the control client returns`);
}

function eventOf(contract: ContractDocument, operationId: string, schema: Schema | undefined): string {
  const stream = typeof schema === 'object' ? resolveRef(contract, schema) : {};
  return nameOf(operationId, (stream as { contentSchema?: Schema }).contentSchema);
}

function nameOf(operationId: string, schema: Schema | undefined): string {
  const name = schema === undefined ? undefined : schemaName(schema);
  if (name === undefined) throw new Error(`${operationId}: the schema of a body or a reply must be a named component`);
  return name;
}
