/**
 * Promise: `npm run new` writes all five parts of an operation so that the contract still generates and lints. If it
 * refuses, the project stays as it was.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findUnfounded } from '../../scripts/check/basis.ts';
import { generateAll, writeGenerated } from '../../scripts/generate/main.ts';
import { runTool } from '../../scripts/lib/tool.ts';
import { addOperation } from '../../scripts/new-operation/main.ts';
import type { NewOperation } from '../../scripts/new-operation/skeletons.ts';
import { copyProject, type ProjectCopy } from '../support/process/copy.ts';
import { byLength } from '../support/run/length.ts';

let copy: ProjectCopy;
const removals: (() => void)[] = [];
beforeAll(() => {
  copy = copyProject((remove) => removals.push(remove));
}, 60_000);
afterAll(() => {
  for (const remove of removals) remove();
});
const add = (wanted: NewOperation) => addOperation(wanted, copy.folder);

// Only in the long run, because a contract that generates has already passed most rules.
type Linter = [tool: readonly [packageName: string, executable: string], args: readonly string[]];
const houseRules: Linter = [
  ['@stoplight/spectral-cli', 'spectral'],
  ['lint', 'generated/openapi.json', '--fail-severity', 'warn'],
];
const sourceRules: Linter = [
  ['@redocly/cli', 'redocly'],
  ['lint', 'openapi/openapi.yaml'],
];
const linters = byLength([], [houseRules, sourceRules]);

// These will never be operations, because they are out of scope (D02).
const getInvitation = {
  domain: 'customers',
  operationId: 'getInvitation',
  method: 'GET',
  path: '/invitations/{invitationId}',
};

describe('a new operation', () => {
  beforeEach(() => copy.restore());
  const read = (file: string) => readFile(join(copy.folder, file), 'utf8');

  test.each(byLength([], ['stands in five places, generates and lints']))('%s', { timeout: 60_000 }, async () => {
    const before = {
      root: await read('openapi/openapi.yaml'),
      handlers: await read('mocks/sandbox/registry/handlers.ts'),
    };
    const wanted = [
      getInvitation,
      { domain: 'customers', operationId: 'createInvitation', method: 'POST', path: '/invitations' },
      { domain: 'transfers', operationId: 'deleteWebhook', method: 'DELETE', path: '/webhooks/{webhookId}' },
      { domain: 'tokens', operationId: 'updateToken', method: 'PATCH', path: '/tokens/{tokenId}' },
      { domain: 'customers', operationId: 'listInvitations', method: 'GET', path: '/invitations' },
    ];
    const bodies: Record<string, string[]> = {
      getInvitation: ['GetInvitationReply'],
      createInvitation: ['CreateInvitationRequest', 'CreateInvitationReply'],
      updateToken: ['UpdateTokenRequest', 'UpdateTokenReply'],
      listInvitations: ['InvitationsList'],
    };
    for (const { domain, operationId, ...place } of wanted) {
      expect(await add({ domain, operationId, ...place })).toEqual([
        `openapi/paths/${domain}/${operationId}.yaml`,
        ...(bodies[operationId] ?? []).map((name) => `openapi/components/schemas/${domain}/${name}.yaml`),
        'openapi/openapi.yaml',
        `mocks/sandbox/domains/${domain}/${operationId}.ts`,
        'mocks/sandbox/registry/handlers.ts',
        `test/${domain}/${operationId}.test.ts`,
      ]);
    }

    const files = await generateAll(copy.folder);
    expect(findUnfounded(JSON.parse(files.get('generated/openapi.json') ?? ''))).toEqual([]);
    for (const { operationId } of wanted) expect(files.get('generated/operations.ts')).toContain(`'${operationId}'`);

    // Nothing that existed before was changed or removed.
    const after = {
      root: await read('openapi/openapi.yaml'),
      handlers: await read('mocks/sandbox/registry/handlers.ts'),
    };
    for (const line of before.root.split('\n')) expect(after.root.split('\n')).toContain(line);
    for (const line of before.handlers.split('\n')) expect(after.handlers.split('\n')).toContain(line);
    const imports = after.handlers.split('\n').filter((line) => line.startsWith('import '));
    const origins = imports.map((line) => line.split(' from ')[1]?.toLowerCase());
    expect(origins).toEqual(origins.toSorted());
    const listed = after.handlers.match(/^ {2}\w+,$/gm);
    expect(listed).toEqual(listed?.toSorted());

    await writeGenerated(files, copy.folder);
    for (const [tool, args] of linters) {
      const { code, output } = await runTool(tool, args, copy.folder);
      expect(code, output).toBe(0);
    }
  });

  test('a method on a path that exists goes under that path', async () => {
    const wanted = { domain: 'tokens', operationId: 'deleteTokens', method: 'DELETE', path: '/tokens' };
    await add(wanted);
    const text = await read('openapi/openapi.yaml');
    expect(text.match(/^ {2}\/tokens:$/gm)).toHaveLength(1);
    expect(text).toMatch(/ {2}\/tokens:\n(?: {4}.*\n)* {4}delete:\n {6}\$ref: paths\/tokens\/deleteTokens\.yaml\n/);
  });

  test('is refused once it is there', async () => {
    await add(getInvitation);
    await expect(add(getInvitation)).rejects.toThrow(/getInvitation exists already/);
  });
});

describe('refusals', () => {
  beforeAll(() => copy.restore());

  const refused: [what: string, wanted: Partial<typeof getInvitation>, message: RegExp][] = [
    ['an unknown domain', { domain: 'webhooks' }, /Unknown domain "webhooks"/],
    ['a domain that climbs out', { domain: '../..' }, /Unknown domain/],
    ['an id without a verb', { operationId: 'invitation' }, /isn't an operation id/],
    ['an id in another case', { operationId: 'get_invitation' }, /isn't an operation id/],
    ['an id that exists', { operationId: 'createToken' }, /createToken exists already/],
    ['an unknown method', { method: 'FETCH' }, /isn't a method/],
    ['a path without a slash', { path: 'invitations' }, /isn't a path/],
    ['a path that ends in a slash', { path: '/invitations/' }, /isn't a path/],
    ['a parameter twice', { path: '/invitations/{id}/{id}' }, /twice/],
    ['a method and path that exist', { method: 'POST', path: '/tokens' }, /POST \/tokens exists already/],
    ['a path that exists under another name', { path: '/customers/{other}' }, /\/customers\/\{customerId\}/],
  ];

  test.each(refused)('%s', async (_what, change, message) => {
    await expect(add({ ...getInvitation, ...change })).rejects.toThrow(message);
    expect(copy.changes()).toEqual([]);
  });
});
