/** Templates for a new operation. Each is complete: it lints, generates and type-checks without changes. */

/** The requested operation. */
export interface NewOperation {
  readonly domain: string;
  /** Verb and noun in camelCase, for example `getQuote`. */
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** For example `/quotes/{quoteId}`. */
  readonly path: string;
}

/** A shared path parameter: its file, and the 404 code for an unknown id. */
export interface KnownParameter {
  readonly file: string;
  readonly notFound: string;
}

/** The operation object, with every status that all operations have. */
export function operationSkeleton(wanted: NewOperation, known: ReadonlyMap<string, KnownParameter>): string {
  const { domain, operationId, method, path } = wanted;
  const schemas = schemaSkeletons(wanted);
  const missing = parametersOf(path).map((name) => known.get(name)?.notFound ?? 'REFERENCE_NOT_FOUND');
  const lines = [
    `operationId: ${operationId}`,
    `summary: ${sentence(operationId)}`,
    `description: Returns ${method === 'DELETE' ? '204' : '200'}. A request that doesn't match the schema is 400.`,
    `tags: [${domain}]`,
    'security:',
    '  - BasicAuth: []',
    `x-permission: ${method === 'GET' ? 'VIEW' : 'MANAGE'}`,
    // The default for a new operation, because the interface doesn't name it.
    'x-basis: D01',
    ...parameterLines(wanted, known),
    ...(schemas.request === undefined ? [] : requestLines(domain, schemas.request.name)),
    'responses:',
    ...(schemas.reply === undefined
      ? ["  '204':", '    description: Done; there is nothing to say.']
      : replyLines(domain, schemas.reply.name, isList(operationId))),
    ...['400: InvalidInput', '401: Unauthorized', '403: Forbidden'].flatMap((entry) => {
      const [status, name] = entry.split(': ');
      return [`  '${status}':`, `    $ref: ../../components/responses/${name}.yaml`];
    }),
    ...(missing.length === 0 ? [] : notFoundLines([...new Set(missing)])),
  ];
  return `${lines.join('\n')}\n`;
}

export interface SchemaSkeleton {
  readonly name: string;
  readonly text: string;
}

/** The schemas of the bodies, each with one placeholder field; none if there is no body. */
export function schemaSkeletons({ operationId, method }: NewOperation): {
  readonly request?: SchemaSkeleton;
  readonly reply?: SchemaSkeleton;
} {
  const title = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const reply = isList(operationId)
    ? { name: `${title.slice('List'.length)}List`, text: listSchema }
    : { name: `${title}Reply`, text: replySchema };
  return {
    ...(['POST', 'PUT', 'PATCH'].includes(method) ? { request: { name: `${title}Request`, text: requestSchema } } : {}),
    ...(method === 'DELETE' ? {} : { reply }),
  };
}

const isList = (operationId: string): boolean => /^list[A-Z]/.test(operationId);
const parametersOf = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);

const requestSchema = `type: object
description: What to do it with.
x-basis: D01
additionalProperties: false
required: [name]
properties:
  name:
    type: string
    description: A name.
    minLength: 1
    maxLength: 100
`;

const replySchema = `type: object
description: What it answers.
x-basis: D01
required: [name]
properties:
  name:
    type: string
    description: A name.
`;

const listSchema = `type: object
description: A page of the list.
x-basis: D01
required: [data, hasMore, totalCount]
properties:
  data:
    type: array
    maxItems: 100
    description: What is on the page.
    items:
      type: string
  hasMore:
    type: boolean
    description: Whether there are more.
  nextCursor:
    type: string
    description: Where the next page begins. Absent on the last.
  totalCount:
    type: integer
    description: How many there are on all pages.
`;

function requestLines(domain: string, schema: string): string[] {
  return [
    'requestBody:',
    '  required: true',
    '  description: What to do it with.',
    '  content:',
    '    application/json:',
    '      schema:',
    `        $ref: ../../components/schemas/${domain}/${schema}.yaml`,
    '      examples:',
    '        named:',
    '          summary: With a name',
    '          value:',
    '            name: First',
  ];
}

function replyLines(domain: string, schema: string, isPage: boolean): string[] {
  return [
    "  '200':",
    '    description: What it answers.',
    '    content:',
    '      application/json:',
    '        schema:',
    `          $ref: ../../components/schemas/${domain}/${schema}.yaml`,
    '        examples:',
    '          named:',
    '            summary: With a name',
    '            value:',
    ...(isPage
      ? ['              data: [First]', '              hasMore: false', '              totalCount: 1']
      : ['              name: First']),
  ];
}

function notFoundLines(codes: readonly string[]): string[] {
  return [
    "  '404':",
    '    description: What the path names is not there.',
    '    content:',
    '      application/json:',
    '        schema:',
    '          allOf:',
    '            - $ref: ../../components/schemas/errors/ApiError.yaml',
    '            - type: object',
    '              properties:',
    '                status:',
    '                  type: integer',
    '                  const: 404',
    '                code:',
    '                  type: string',
    `                  enum: [${codes.join(', ')}]`,
    '        examples:',
    '          notThere:',
    '            summary: Something unknown',
    '            value:',
    '              status: 404',
    `              code: ${codes[0]}`,
    '              message: This platform has nothing of this id.',
  ];
}

function parameterLines({ operationId, path }: NewOperation, known: ReadonlyMap<string, KnownParameter>): string[] {
  const inPath = parametersOf(path).flatMap((name) => {
    const shared = known.get(name);
    if (shared !== undefined) return [`  - $ref: ../../components/parameters/${shared.file}`];
    return [
      `  - name: ${name}`,
      '    in: path',
      '    required: true',
      '    description: Which one is meant.',
      '    schema:',
      '      type: string',
      '      pattern: ^[A-Z][A-Za-z]+:[0-9a-f-]{36}$',
      '      maxLength: 80',
      '    examples:',
      '      first:',
      '        value: Thing:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff',
      '    x-not-found: REFERENCE_NOT_FOUND',
    ];
  });
  const page = ['Cursor', 'Limit'].map((name) => `  - $ref: ../../components/parameters/${name}.yaml`);
  const lines = [...inPath, ...(isList(operationId) ? page : [])];
  return lines.length === 0 ? [] : ['parameters:', ...lines];
}

/** The tag entry of a new domain. */
export function tagSkeleton(domain: string): string[] {
  const title = domain.charAt(0).toUpperCase() + domain.slice(1);
  return [`  - name: ${domain}`, `    x-displayName: ${title}`, `    description: Everything about ${domain}.`];
}

/** A handler that fails with 500 until it is written, so that no caller gets a fake result. */
export function handlerSkeleton({ operationId, method, path }: NewOperation): string {
  return `import { operation } from '../operation.ts';

/** ${method} ${path}: what it does, and the decisions it rests on. */
export const ${operationId} = operation('${operationId}', {
  async handle() {
    throw new Error('${operationId} is not written yet');
  },
});
`;
}

/** The first of the tests that every operation needs, and a test that fails until the others are written. */
export function testSkeleton({ operationId, method, path }: NewOperation): string {
  const somewhere = path.replaceAll(/\{[^}]+\}/g, 'unknown');
  return `/**
 * Promise: ${method} ${path} does what the contract says, and refuses what it says it refuses.
 */
import { expect, test } from 'vitest';
import { openSandbox } from '../support/sandbox/harness.ts';

test('without credentials it is 401', async () => {
  const { send } = await openSandbox();
  const answer = await send('${method}', '${somewhere}', { authorization: null });
  expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
});

test('it answers each status that it declares', () => {
  expect.fail('Write the other tests of ${operationId}.');
});
`;
}

function sentence(operationId: string): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
