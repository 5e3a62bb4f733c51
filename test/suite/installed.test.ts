/**
 * Promise: `npm ci` installs what people who work on the project need, but not what only one file or one long run
 * needs. We only need one script of Scalar, which contains everything; its package would install 300 packages with 240
 * MB.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

test('of Scalar only the package with the script is installed: each of its dependencies is an empty stand-in', () => {
  const { dependencies } = lock.packages['node_modules/@scalar/api-reference'];
  const standIns: Readonly<Record<string, string>> = manifest.overrides['@scalar/api-reference'];
  expect(Object.keys(standIns).sort()).toEqual(Object.keys(dependencies).sort());
  expect(new Set(Object.values(standIns))).toEqual(new Set(['npm:ms@2.1.3']));
});

test('what only a long run needs is in the lockfile of that run', () => {
  const own = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  const ofRuns = ['bench', 'matrix'].flatMap((run) => {
    const file = join(import.meta.dirname, '..', run, 'package.json');
    return Object.keys((JSON.parse(readFileSync(file, 'utf8')) as typeof manifest).dependencies);
  });
  expect(ofRuns.length).toBeGreaterThan(20);
  expect(ofRuns.filter((name) => own.has(name) && name !== 'typescript')).toEqual([]);
});
