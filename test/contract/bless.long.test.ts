/**
 * Promise: `npm run bless` publishes the project's current contract. From then on `npm run diff` compares with that
 * version, without git.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bless } from '../../scripts/bless/main.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const contract = (schema: object) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '2025-10-13' },
  servers: [{ url: 'https://api.example.com/2025-10-13' }],
  paths: {
    '/things': {
      post: {
        operationId: 'createThing',
        requestBody: { content: { 'application/json': { schema } } },
        responses: { 204: { description: 'Made.' } },
      },
    },
  },
});

test('a version is published, and diff goes by it where there is no git', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'openapi'));
  const write = (name: string, text: string) => writeFileSync(join(folder, 'openapi', name), text);
  write('openapi.yaml', JSON.stringify(contract({ $ref: 'Thing.yaml' })));
  write('Thing.yaml', JSON.stringify({ type: 'object', properties: { id: { type: 'string' } } }));
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\nThe first.\n');
  expect(await bless(folder, undefined)).toMatch(/^2025-10-13 is published[\s\S]*openapi\/versions\/2025-10-13\.json/);

  // A .json document needs no bundler, which saves a second.
  const changed = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
  const whole = { ...contract({ $ref: '#/components/schemas/Thing' }), components: { schemas: { Thing: changed } } };
  write('openapi.json', JSON.stringify(whole));
  write('CHANGELOG.md', '## Unreleased\n\n- **correction** `Thing`: it was always asked for.\n');
  const { INIT_CWD: _, ...env } = process.env;
  const args = [join(projectRoot, 'cli/countersign.mjs'), 'diff', '--contract', 'openapi/openapi.json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(stdout).toMatch(/^2025-10-13 → the working tree\nbreaking +Thing +\/components\/schemas\/Thing\/required /);
  expect(stdout).toContain('No breaking change but those that the changelog calls corrections');
});
