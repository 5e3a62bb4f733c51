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

/** The operation object: every status that any operation has, and bodies of one field to replace. */
export function operationSkeleton(wanted: NewOperation, knownParameters: ReadonlyMap<string, string>): string {
  const { domain, operationId, method, path } = wanted;
  const lines = [
    `operationId: ${operationId}`,
    `summary: ${sentence(operationId)}`,
    `description: Answers ${method === 'DELETE' ? '204' : '200'}. A request that does not fit is 400.`,
    `tags: [${domain}]`,
    'security:',
    '  - BasicAuth: []',
    `x-permission: ${method === 'GET' ? 'VIEW' : 'MANAGE'}`,
    ...parameterLines(path, knownParameters),
    ...(['POST', 'PUT', 'PATCH'].includes(method) ? requestLines : []),
    'responses:',
    ...(method === 'DELETE' ? ["  '204':", '    description: Done; there is nothing to say.'] : replyLines),
    ...['400: InvalidInput', '401: Unauthorized', '403: Forbidden'].flatMap((entry) => {
      const [status, name] = entry.split(': ');
      return [`  '${status}':`, `    $ref: ../../components/responses/${name}.yaml`];
    }),
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

function parameterLines(path: string, known: ReadonlyMap<string, string>): string[] {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  if (names.length === 0) return [];
  const lines = names.flatMap((name) => {
    const file = known.get(name);
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
