/** Promise: every bundled package's licence is included, and the build names packages without one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagesOf, writeLicences } from '../../scripts/build/licences.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

/** Installs packages, each with its licence in `package.json` and its licence files. */
function install(packages: Readonly<Record<string, { license?: string; files?: Record<string, string> }>>): string[] {
  const folder = temporaryFolder();
  return Object.entries(packages).map(([name, { license, files = {} }]) => {
    const own = join(folder, 'node_modules', name);
    mkdirSync(own, { recursive: true });
    const manifest = { name, version: '1.2.3', ...(license === undefined ? {} : { license }) };
    writeFileSync(join(own, 'package.json'), JSON.stringify(manifest));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(own, file), text);
    return own;
  });
}

test('each package with its words, the same words once, notices too', () => {
  const text = writeLicences(
    install({
      zebra: { license: 'MIT', files: { LICENSE: 'Do as you like.\r\n' } },
      '@of/antelope': { license: 'MIT', files: { 'license.md': 'Do as you like.' } },
      gnu: { license: 'Apache-2.0', files: { LICENSE: 'Terms.', 'NOTICE.txt': 'Made by somebody.' } },
      bare: { license: 'ISC' },
    }),
  );
  expect(text).toContain('@of/antelope 1.2.3 (MIT)\nzebra 1.2.3 (MIT)\n\nDo as you like.\n');
  expect(text).toContain('gnu 1.2.3 (Apache-2.0)\n\nTerms.\n\nMade by somebody.\n');
  expect(text).toContain('bare 1.2.3 (ISC)\n\nISC (the package has no file of it)\n');
});

test('a package without one is named', () => {
  expect(() => writeLicences(install({ fine: { license: 'MIT' }, wild: {}, wilder: {} }))).toThrow(
    'No licence comes with wild, wilder.',
  );
});

test('a module belongs to the innermost package above it', () => {
  const modules = [
    '/p/node_modules/one/lib/a.js',
    '/p/node_modules/one/lib/b.js',
    '/p/node_modules/@of/two/c.js',
    '/p/node_modules/one/node_modules/three/d.js',
    'C:\\p\\node_modules\\@of\\four\\e.js',
    '/p/contract/file.ts',
  ];
  expect(packagesOf(modules)).toEqual([
    '/p/node_modules/one',
    '/p/node_modules/@of/two',
    '/p/node_modules/one/node_modules/three',
    'C:\\p\\node_modules\\@of\\four',
  ]);
});
