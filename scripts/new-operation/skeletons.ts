/** The texts that a new operation begins with. Each is complete: it lints, generates and type-checks as it is. */

/** What is asked for. */
export interface NewOperation {
  readonly domain: string;
  /** Verb and noun in camelCase, for example `getQuote`. */
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** For example `/quotes/{quoteId}`. */
  readonly path: string;
}

/** A path parameter that stands in a file of its own, and the 404 code for an id of it that names nothing. */
export interface KnownParameter {
  readonly file: string;
  readonly notFound: string;
}

/** The operation object: every status that any operation has, and bodies of one field to replace. */
export function operationSkeleton(wanted: NewOperation, knownParameters: ReadonlyMap<string, KnownParameter>): string {
  const { domain, operationId, method, path } = wanted;
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const missing = names.map((name) => knownParameters.get(name)?.notFound ?? codeOfOthers);
  const lines = [
    `operationId: ${operationId}`,
    `summary: ${sentence(operationId)}`,
    `description: Answers ${method === 'DELETE' ? '204' : '200'}. A request that does not fit is 400.`,
    `tags: [${domain}]`,
    'security:',
    '  - BasicAuth: []',
    `x-permission: ${method === 'GET' ? 'VIEW' : 'MANAGE'}`,
    ...parameterLines(names, knownParameters),
    ...(['POST', 'PUT', 'PATCH'].includes(method) ? requestLines : []),
    'responses:',
    ...(method === 'DELETE' ? ["  '204':", '    description: Done; there is nothing to say.'] : replyLines),
    ...['400: InvalidInput', '401: Unauthorized', '403: Forbidden'].flatMap((entry) => {
      const [status, name] = entry.split(': ');
      return [`  '${status}':`, `    $ref: ../../components/responses/${name}.yaml`];
    }),
    ...(names.length === 0 ? [] : notFoundLines([...new Set(missing)])),
  ];
  return `${lines.join('\n')}\n`;
}

const requestLines = [
  'requestBody:',
  '  required: true',
  '  description: What to do it with.',
  '  content:',
  '    application/json:',
  '      schema:',
  '        type: object',
  '        additionalProperties: false',
  '        required: [name]',
  '        properties:',
  '          name:',
  '            type: string',
  '            description: A name.',
  '            minLength: 1',
  '            maxLength: 100',
  '      examples:',
  '        named:',
  '          summary: With a name',
  '          value:',
  '            name: First',
];

const replyLines = [
  "  '200':",
  '    description: What it answers.',
  '    content:',
  '      application/json:',
  '        schema:',
  '          type: object',
  '          required: [name]',
  '          properties:',
  '            name:',
  '              type: string',
  '              description: A name.',
  '        examples:',
  '          named:',
  '            summary: With a name',
  '            value:',
  '              name: First',
];

/** What an id gets that names nothing, until its own code is chosen. */
const codeOfOthers = 'REFERENCE_NOT_FOUND';

function notFoundLines(codes: readonly string[]): string[] {
  return [
    "  '404':",
    '    description: There is nothing of this id.',
    '    content:',
    '      application/json:',
    '        schema:',
    '          allOf:',
    '            - $ref: ../../components/schemas/errors/ApiError.yaml',
    '            - type: object',
    '              properties:',
    '                status:',
    '                  const: 404',
    '                code:',
    `                  enum: [${codes.join(', ')}]`,
    '        examples:',
    '          nothingThere:',
    '            summary: An unknown id',
    '            value:',
    '              status: 404',
    `              code: ${codes[0]}`,
    '              message: There is nothing of this id.',
  ];
}

function parameterLines(names: readonly string[], known: ReadonlyMap<string, KnownParameter>): string[] {
  if (names.length === 0) return [];
  const lines = names.flatMap((name) => {
    const file = known.get(name)?.file;
    if (file !== undefined) return [`  - $ref: ../../components/parameters/${file}`];
    return [
      `  - name: ${name}`,
      '    in: path',
      '    required: true',
      '    description: Which one is meant.',
      '    schema:',
      '      type: string',
      '      pattern: ^[A-Z][A-Za-z]+:[0-9a-f-]{36}$',
      '      maxLength: 80',
      `    x-not-found: ${codeOfOthers}`,
    ];
  });
  return ['parameters:', ...lines];
}

/** The entry of a domain that has had no operation so far. */
export function tagSkeleton(domain: string): string[] {
  const title = domain.charAt(0).toUpperCase() + domain.slice(1);
  return [`  - name: ${domain}`, `    x-displayName: ${title}`, `    description: What has to do with ${domain}.`];
}

/** A handler that refuses to pretend: until it is written, a call is our own fault (500). */
export function handlerSkeleton({ operationId, method, path }: NewOperation): string {
  return `import { operation } from '../operation.ts';

/** ${method} ${path}: what it promises, and where that is written (INTERFACE section, decision). */
export const ${operationId} = operation('${operationId}', {
  async handle() {
    throw new Error('${operationId} is not written yet');
  },
});
`;
}

/** The first of the tests that every operation needs, and one that fails until the others are written. */
export function testSkeleton({ operationId, method, path }: NewOperation): string {
  const somewhere = path.replaceAll(/\{[^}]+\}/g, 'unknown');
  return `/**
 * Promise: ${method} ${path} does what the contract says, and refuses what it says it refuses.
 */
import { expect, test } from 'vitest';
import { openSandbox } from '../support/harness.ts';

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
