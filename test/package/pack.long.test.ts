/**
 * Promise: `npm pack` itself puts the package's README into the tarball and leaves the project's where it was, also after
 * a run that was cut short, and `npm publish` shows the same README.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runPack } from '../support/process/consumer.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const execute = promisify(execFile);

/** A copy of what Git keeps, because npm writes into the folder that it packs. */
function copyProject(): string {
  const copy = join(temporaryFolder(), 'copy');
  const listed = execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' }).split('\n');
  for (const path of listed.filter((path) => path !== '' && !path.startsWith('test/') && existsSync(path))) {
    cpSync(join(projectRoot, path), join(copy, path));
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}

test('packs the README of the package, and puts that of the project back', { timeout: 240_000 }, async () => {
  const copy = copyProject();
  const readme = () => readFileSync(join(copy, 'README.md'), 'utf8');
  const [own, ofPackage] = [readme(), readFileSync(join(copy, 'package/README.md'), 'utf8')];
  const { tarball } = await runPack(copy, copy);
  const packed = await execute('tar', ['-xzOf', tarball, 'package/README.md']);
  expect(packed.stdout).toBe(ofPackage);
  expect(readme()).toBe(own);

  // Cut short between the two.
  execFileSync('node', ['scripts/pack/main.ts', 'begin'], { cwd: copy });
  expect(readme()).toBe(ofPackage);
  await runPack(copy, copy);
  expect(readme()).toBe(own);

  // npm reads the folder for the registry after it packed.
  const published = await execute('npm', ['publish', '--dry-run', '--json'], { cwd: copy });
  expect(published.stdout).toContain('"name": "countersign"');
  expect(readme()).toBe(own);
});
