/** Promise: a tool that knows every way of resolving types finds nothing wrong with those of the packed package. */
import { expect, test } from 'vitest';
import { runTool } from '../../scripts/lib/tool.ts';
import { packInto } from '../support/process/consumer.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

test('are the types wrong? They are not', { timeout: 120_000 }, async () => {
  const { tarball } = await packInto(temporaryFolder());
  // Two of its entries are files to copy, which nothing imports.
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
