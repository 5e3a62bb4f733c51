/** Builds the package into `dist/`. */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildConsole } from '../generate/console.ts';
import { scalarScript } from '../generate/reference.ts';
import { projectRoot } from '../lib/project.ts';
import { writeBundles } from './bundle.ts';
import { readEntries, writeDeclarations } from './declarations.ts';
import { type Manifest, packagesOf, readManifest, writeLicences } from './licences.ts';
import { bundledPackages, consolePackages } from './packages.ts';

/**
 * Writes what runs: JavaScript with what it needs bundled, and beside it what the sandbox reads and the licences of all
 * that is inside.
 *
 * @param dist the folder, made again.
 * @returns the packages that are inside.
 * @throws Error in one sentence if a package has no licence, or if the list of bundled packages isn't true.
 */
export async function buildProgram(dist: string): Promise<Manifest[]> {
  await rm(dist, { recursive: true, force: true });
  const [modules, page] = await Promise.all([writeBundles(dist), buildConsole(), copyGenerated(dist)]);
  const packages = packagesOf([...modules, ...page.modules, scalarScript.from]);
  const manifests = packages.map(readManifest);
  const names = manifests.map(({ name }) => name);
  const unused = [...bundledPackages, ...consolePackages].filter((name) => !names.includes(name));
  if (unused.length > 0) {
    throw new Error(`scripts/build/packages.ts lists ${unused.join(', ')}, which nothing imports.`);
  }
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), writeLicences(packages));
  return manifests;
}

/** The whole of `dist/`: the program, and the declarations of what can be imported. */
export async function buildPackage(dist: string): Promise<void> {
  const entries = await readEntries();
  await buildProgram(dist);
  await writeDeclarations(entries, dist);
}

/** Where the sandbox looks for it: below the same folder as in the project (contract/root.ts). */
async function copyGenerated(dist: string): Promise<void> {
  await mkdir(join(dist, 'generated'), { recursive: true });
  // What guard and diff hand to Redocly is its settings.
  for (const path of [
    'generated/openapi.json',
    'generated/control.json',
    'generated/reference',
    'generated/console',
    'generated/collections',
    'redocly.yaml',
  ]) {
    await cp(join(projectRoot, path), join(dist, path), { recursive: true });
  }
  await cp(scalarScript.from, join(dist, scalarScript.to));
}
