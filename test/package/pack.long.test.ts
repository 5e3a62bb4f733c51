/**
 * Promise: `npm run pack` writes the tarball and nothing else, at whatever moment it is killed. The tarball has the
 * README of the package.
 */
import { execFileSync, spawn } from 'node:child_process';
import { linkSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyProject, foreignEnvironment, type ProjectCopy } from '../support/process/copy.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

let copy: ProjectCopy;
const removals: (() => void)[] = [];
beforeAll(() => {
  copy = copyProject((remove) => removals.push(remove));
}, 60_000);
afterAll(() => {
  for (const remove of removals) remove();
});

/** Every file with its inode and the time of its last change, which a file that is put back shows too. */
const traces = (): string[] =>
  readdirSync(copy.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(?:\.git|node_modules)(?:\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.endsWith('.tgz'))
    .map((path) => [path, lstatSync(path)] as const)
    .map(([path, { ino, ctimeMs }]) => `${path} ${ino} ${ctimeMs}`)
    .sort();

test('whole or killed, it leaves every file alone', { timeout: 300_000 }, async () => {
  const { version } = JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8'));
  const tarball = join(copy.folder, `countersign-${version}.tgz`);
  // Another checkout may share the file of before.
  const shared = join(copy.folder, 'shared.tgz');
  writeFileSync(shared, 'older');
  linkSync(shared, tarball);
  // What a killed run leaves is there.
  const env = { ...foreignEnvironment(), TMPDIR: temporaryFolder() };
  const pack = () => {
    // A group of its own, so that npm and the compiler are killed too.
    const options = { cwd: copy.folder, env, detached: true } as const;
    const child = spawn(process.execPath, ['scripts/pack/main.ts'], options);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { exit, output: () => output, kill: () => process.kill(-(child.pid ?? 0), 'SIGKILL') };
  };

  const before = traces();
  const startedAt = performance.now();
  const whole = pack();
  expect([await whole.exit, whole.output()]).toEqual([0, expect.stringMatching(/^ {2}wrote countersign-\S+\.tgz, /)]);
  const took = performance.now() - startedAt;
  expect(traces()).toEqual(before);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
  expect(readFileSync(shared, 'utf8')).toBe('older');
  const packed = execFileSync('tar', ['-xzOf', tarball, 'package/README.md'], { encoding: 'utf8' });
  expect(packed).toBe(readFileSync(join(copy.folder, 'package/README.md'), 'utf8'));

  const { size } = lstatSync(tarball);
  for (const share of [0.3, 0.7, 0.95]) {
    const killed = pack();
    const isDone = await Promise.race([wait(share * took, false), killed.exit.then(() => true)]);
    if (!isDone) killed.kill();
    await killed.exit;
    expect(traces(), `killed after ${share} of the time`).toEqual(before);
    expect(lstatSync(tarball).size).toBe(size);
  }
});
