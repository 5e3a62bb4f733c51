/** Promise: a tool that checks all ways of resolving types finds no fault in the packed package's types. */
import { expect, test } from 'vitest';
import { runTool } from '../../scripts/lib/tool.ts';
import { packPackage } from '../../scripts/pack/pack.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

test('attw finds no fault in the types', { timeout: 120_000 }, async () => {
  const { tarball } = await packPackage(temporaryFolder());
  // Two of its entries are files to copy, which are never imported.
  const files = ['service-worker.js', 'sqlite3.wasm'];
  const args = [
    tarball,
    '--ignore-rules',
    'cjs-resolves-to-esm',
    '--format',
    'ascii',
    '--exclude-entrypoints',
    ...files,
  ];
  const { code, output } = await runTool(['@arethetypeswrong/cli', 'attw'], args);
  expect([code, output]).toEqual([0, expect.stringContaining('"countersign/sandbox"')]);
});
