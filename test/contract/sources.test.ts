/**
 * Promise: `npm run check` reports a contract file that nothing refers to, and two file names that differ only in
 * letter case, because some file systems ignore it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSourceFaults } from '../../scripts/check/sources.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const files = {
  'api/root.yaml': 'paths:\n  /a: { $ref: paths/a.yaml }\n',
  'api/paths/a.yaml': 'get: { schema: { $ref: ../schemas/Thing.yaml }, other: { $ref: "#/get/schema" } }\n',
  'api/schemas/Thing.yaml': 'discriminator: { mapping: { OTHER: Other.yaml, SELF: "#/there" } }\n',
  'api/schemas/Other.yaml': 'type: string\n',
  'api/guides/words.yaml': 'not: of the contract\n',
};

function faultsOf(more: Record<string, string>, components: Record<string, object> = {}): Promise<string[]> {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return findSourceFaults(root, 'api/root.yaml', { components } as unknown as ContractDocument);
}

describe('the files of a contract', () => {
  it('are all reached: by references, and by the mapping of a discriminator', async () => {
    expect(await faultsOf({}, { schemas: { Thing: {}, Other: {} }, responses: { thing: {} } })).toEqual([]);
  });

  it('are named where nothing refers to them', async () => {
    expect(await faultsOf({ 'api/schemas/Left.yaml': 'type: string\n' })).toEqual([
      'api/schemas/Left.yaml: nothing in the contract refers to it: refer to it, or remove it',
    ]);
  });

  it('do not differ in letter case only, nor do the components', async () => {
    const faults = await faultsOf(
      {
        'api/paths/a.yaml': 'get: [{ $ref: ../schemas/Thing.yaml }, { $ref: ../schemas/thing.yaml }]\n',
        'api/schemas/thing.yaml': '{}',
      },
      { schemas: { Thing: {}, thing: {} } },
    );
    expect(faults).toEqual([
      'api/schemas/Thing.yaml and api/schemas/thing.yaml differ in letter case only, and are one file on macOS and Windows: rename one',
      expect.stringMatching(/^components\.schemas: Thing and thing differ in letter case only/),
    ]);
  });
});
