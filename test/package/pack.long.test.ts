/**
 * Promise: `npm pack` itself puts the package's README into the tarball and leaves the project's README in place, even
 * after an interrupted run. `npm publish` shows the same README.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runPack } from '../support/process/consumer.ts';
import { copyProject } from '../support/process/copy.ts';

const execute = promisify(execFile);

test('packs the README of the package, and puts that of the project back', { timeout: 240_000 }, async () => {
  const copy = copyProject();
  const readme = () => readFileSync(join(copy, 'README.md'), 'utf8');
  const [own, ofPackage] = [readme(), readFileSync(join(copy, 'package/README.md'), 'utf8')];
  const { tarball } = await runPack(copy, copy);
  const packed = await execute('tar', ['-xzOf', tarball, 'package/README.md']);
  expect(packed.stdout).toBe(ofPackage);
  expect(readme()).toBe(own);

  // Interrupted between the two.
  execFileSync('node', ['scripts/pack/main.ts', 'begin'], { cwd: copy });
  expect(readme()).toBe(ofPackage);
  await runPack(copy, copy);
  expect(readme()).toBe(own);

  // npm reads the folder for the registry after packing.
  const published = await execute('npm', ['publish', '--dry-run', '--json'], { cwd: copy });
  expect(published.stdout).toContain('"name": "countersign"');
  expect(readme()).toBe(own);
});
