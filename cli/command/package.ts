/** Finds the package that this code is part of, and the packages installed beside it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const own = dirname(fileURLToPath(import.meta.url));

/** The folder and all folders above it, nearest first. */
function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function isOwn(folder: string): boolean {
  return existsSync(join(folder, 'package.json')) && readManifest(folder).name === 'countersign';
}

/** The folder of this package. In a clone it is the repository's root. */
export function packageFolder(): string {
  const found = above(own).find(isOwn);
  if (found === undefined) throw new Error(`There is no package.json of Countersign above ${own}`);
  return found;
}

/** The version of Countersign. */
export function readVersion(): string {
  return readManifest(packageFolder()).version;
}

/**
 * Finds the folder of an installed package: beside Countersign, or in the folder where the user is.
 * @returns undefined if it isn't installed
 */
export function findPackage(name: string): string | undefined {
  const folders = [...above(own), ...above(process.cwd())].map((folder) => join(folder, 'node_modules', name));
  return folders.find((folder) => existsSync(join(folder, 'package.json')));
}

/** The command that adds packages, at the versions that Countersign is tested with. */
export function howToAdd(names: readonly string[]): string {
  const { devDependencies = {}, peerDependencies = {} } = readManifest(packageFolder());
  const versions: Readonly<Record<string, string>> = { ...devDependencies, ...peerDependencies };
  const wanted = names.map((name) => (versions[name] === undefined ? name : `${name}@${versions[name]}`));
  return `npm install -D ${wanted.join(' ')}`;
}

/**
 * The folder that a user's relative paths start from. npm runs our scripts in the repository's root, so it isn't always
 * the process's own folder.
 */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const here = process.cwd();
  return isOwn(here) ? (env['INIT_CWD'] ?? here) : here;
}
