/** Collects the licences of the bundled packages. They must be published with the package. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields that we read from a package's package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The folders of the packages that modules belong to. @param modules absolute paths; our own files are skipped. */
export function packagesOf(modules: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const path of modules) {
    const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders];
}

/** Reads the package.json of a package. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/**
 * One text with the licence of every package, sorted by name. Packages with the same licence text share one entry.
 *
 * @param folders where each package is installed
 * @throws Error that names the packages with neither a licence file nor a licence name.
 */
export function writeLicences(folders: readonly string[]): string {
  const packages = folders.map((folder) => ({ ...readManifest(folder), words: licenceText(folder) }));
  packages.sort((one, other) => (one.name < other.name ? -1 : 1));
  const bare = packages.filter(({ words, license }) => words === '' && license === undefined);
  if (bare.length > 0) throw new Error(`No licence comes with ${bare.map(({ name }) => name).join(', ')}.`);
  const byWords = Map.groupBy(packages, ({ words, license }) => words || `${license} (the package has no file of it)`);
  const sections = [...byWords].map(([words, same]) => {
    const names = same.map(({ name, version, license }) => `${name} ${version} (${license ?? 'see below'})`);
    return `${names.join('\n')}\n\n${words.trim()}\n`;
  });
  return ['Countersign contains these packages, each under its own licence.\n', ...sections].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}

/** The text of a package's licence, copying and notice files. */
function licenceText(folder: string): string {
  const names = globSync('*', { cwd: folder }).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}
