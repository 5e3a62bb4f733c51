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
 * Writes the program: JavaScript with the packages that it needs, the files that the sandbox reads, and the licences of
 * the bundled packages.
 *
 * @param dist the folder; it is emptied first
 * @returns the bundled packages
 * @throws Error if a package has no licence, or if the list of bundled packages is wrong.
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

/** Writes all of `dist/`: the program and the declarations of what can be imported. */
export async function buildPackage(dist: string): Promise<void> {
  const entries = await readEntries();
  await buildProgram(dist);
  await writeDeclarations(entries, dist);
}

/**
 * Copies generated files to the same place below `dist/` as in the project, where the sandbox looks (contract/root.ts).
 */
async function copyGenerated(dist: string): Promise<void> {
  await mkdir(join(dist, 'generated'), { recursive: true });
  // Guard and diff pass these files to Redocly as its settings.
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
