/** Checks the files of the contract: the root document reaches each, and no two names differ in letter case only. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import type { ContractDocument } from '../lib/contract.ts';

/**
 * Finds faults in the names and files of a contract, a line each.
 *
 * It looks for unreferenced files in the contract's own folders: those beside the root document that hold at least one
 * referenced file.
 *
 * @param root the project's folder
 * @param file the root document, from `root`
 * @param bundle the same contract as one document
 */
export async function findSourceFaults(root: string, file: string, bundle: ContractDocument): Promise<string[]> {
  const folder = join(root, dirname(file));
  const reached = await reachedFrom(join(root, file));
  const folders = new Set([...reached].map((path) => relative(folder, path).split(sep)[0] as string));
  const files = globSync('**/*.yaml', { cwd: folder })
    .filter((path) => path.includes(sep) && folders.has(path.split(sep)[0] as string))
    .map((path) => join(folder, path))
    .sort();
  return [
    ...files
      .filter((path) => !reached.has(path))
      .map((path) => `${relative(root, path)}: nothing in the contract refers to it: refer to it, or remove it`),
    ...sameButForCase(files.map((path) => relative(root, path))).map(
      (paths) => `${paths.join(' and ')} differ in letter case only, and are one file on macOS and Windows: rename one`,
    ),
    ...Object.entries((bundle.components ?? {}) as Record<string, object>).flatMap(([section, named]) =>
      sameButForCase(Object.keys(named)).map(
        (names) =>
          `components.${section}: ${names.join(' and ')} differ in letter case only, and generated files of these ` +
          'names are one file on macOS and Windows: rename one',
      ),
    ),
  ];
}

function sameButForCase(names: readonly string[]): string[][] {
  return Object.values(Object.groupBy(names, (name) => name.toLowerCase())).filter(
    (group): group is string[] => group !== undefined && group.length > 1,
  );
}

/** The files that a document refers to, including itself, as absolute paths. */
async function reachedFrom(start: string): Promise<Set<string>> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const text = await readFile(path, 'utf8');
    for (const target of targetsOf(parse(text))) waiting.push(resolve(dirname(path), target));
  }
  return reached;
}

/** The files that a node of a document names: in a reference, in a discriminator's mapping, as an external example. */
function targetsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'mapping' && typeof value === 'object' && value !== null) return Object.values(value).flatMap(fileOf);
    return key === '$ref' || key === 'externalValue' ? fileOf(value) : targetsOf(value);
  });
}

function fileOf(reference: unknown): string[] {
  const file = typeof reference === 'string' ? (reference.split('#')[0] as string) : '';
  return file === '' || /^[a-z]+:/i.test(file) ? [] : [file];
}
