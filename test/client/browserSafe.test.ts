/**
 * Promise: the client helpers and the reader of the contract run in a browser unchanged, through any bundler and with
 * `require`. They use no module or global of Node and no undeclared dependency, and don't await while loading.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { bundledPackages } from '../../scripts/build/packages.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { browserTypeErrors } from '../support/browser/browserTypes.ts';
import { isLongRun } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const files = [
  ...['client', 'contract', 'contract/basis'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`)
      // The only file that reads the disk. In a browser, the caller passes the document.
      .filter((file) => file !== 'contract/file.ts'),
  ),
  'generated/client.ts',
  'generated/decisions.ts',
  'generated/numbers.ts',
  'generated/operations.ts',
  'generated/types.ts',
];

/** The dependencies of the package, and the packages that are bundled into it. */
const declared = [...Object.keys(manifest.dependencies), ...bundledPackages];

const parse = (file: string, text = readFileSync(join(projectRoot, file), 'utf8')) =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** The imports of a module, including types and dynamic imports. */
function importsOf(source: ts.SourceFile): string[] {
  return ts.preProcessFile(source.text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Whether loading the module waits for something. */
function awaitsOnLoad(source: ts.SourceFile): boolean {
  const visit = (node: ts.Node): boolean => {
    if (ts.isFunctionLike(node)) return false;
    if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true;
    return ts.forEachChild(node, visit) ?? false;
  };
  return visit(source);
}

describe.each(files)('%s', (file) => {
  const source = parse(file);

  it('imports its neighbours and declared dependencies only', () => {
    const packages = importsOf(source).filter((name) => !name.startsWith('.'));
    for (const name of packages) {
      expect(builtinModules).not.toContain(name.replace(/^node:/, ''));
      expect(declared).toContain(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]);
    }
    const neighbours = importsOf(source).filter((name) => name.startsWith('.'));
    for (const name of neighbours) expect(files).toContain(join(file, '..', name));
  });

  it('waits for nothing while it is loaded', () => {
    expect(awaitsOnLoad(source)).toBe(false);
  });
});

test.each(isLongRun ? ['types are right with those of the browser alone, and a global of Node is found'] : [])(
  '%s',
  () => {
    const planted = join(temporaryFolder(), 'planted.ts');
    writeFileSync(planted, `export const bytes = Buffer.from('text');`);
    const errors = browserTypeErrors([...files.map((file) => join(projectRoot, file)), planted]);
    expect(errors).toEqual([expect.stringContaining("'Buffer'")]);
  },
  60_000,
);

describe('these checks fire', () => {
  it.each([
    [`import { readFileSync } from 'node:fs';`, ['node:fs']],
    [`const fs = await import('fs');`, ['fs']],
    [`export type { Kysely } from 'kysely';`, ['kysely']],
  ])('on the imports of %s', (text, expected) => {
    expect(importsOf(parse('planted.ts', text))).toEqual(expected);
  });

  it.each([
    ['const a = await f();', true],
    ['export const b = [await f()];', true],
    ['for await (const a of b) c(a);', true],
    ['async function f() { await g(); }', false],
    ['const f = async () => await g();', false],
    ['class A { async b() { await c(); } }', false],
  ])('on what is awaited in %s: %s', (text, awaits) => {
    expect(awaitsOnLoad(parse('planted.ts', text))).toBe(awaits);
  });
});
