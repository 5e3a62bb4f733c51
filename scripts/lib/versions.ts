/** The published versions of the contract: `openapi/versions/<date>.json`, which never change. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withUnixLineEnds } from './project.ts';

export interface Version {
  /** The date that it was published under: `2025-10-13`. */
  readonly name: string;
  /** The bundle: JSON text, LF line ends. */
  readonly text: string;
}

/** The published versions, oldest first, and their faults, each as a sentence with its repair. */
export interface Versions {
  readonly versions: readonly Version[];
  readonly faults: readonly string[];
}

/** The content of `index.json`: the digest of each version's bundle, by its date, oldest first. */
export type VersionIndex = Readonly<Record<string, { readonly sha256: string }>>;

export const indexFile = 'index.json';

/** The folder with the versions of a contract, beside its root document: `openapi/versions`. */
export function versionsFolder(contractFile: string): string {
  return join(dirname(contractFile), 'versions').replaceAll('\\', '/');
}

/** The digest of a bundle in `index.json`. It doesn't depend on the line ends of a checkout. */
export function digest(text: string): string {
  return createHash('sha256').update(withUnixLineEnds(text)).digest('hex');
}

/** Whether a text is a valid date such as `2025-10-13`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Reads the published versions and compares each with the digest that was recorded when it was published.
 *
 * @param root the project
 * @param contractFile the root document of the contract, from `root`
 * @returns no versions and no faults if the contract has no published versions
 */
export async function readVersions(root: string, contractFile: string): Promise<Versions> {
  const folder = versionsFolder(contractFile);
  // Another repository may use a folder with this name for something else.
  if (!existsSync(join(root, folder, indexFile))) return { versions: [], faults: [] };
  const index = await readIndex(join(root, folder, indexFile));
  if (index === undefined) {
    return { versions: [], faults: [`${folder}/${indexFile} isn't an index of versions. Restore it from git.`] };
  }
  const names = Object.keys(index);
  const faults = faultsOfNames(names, folder);
  const versions: Version[] = [];
  for (const name of names) {
    const text = await readFile(join(root, folder, `${name}.json`), 'utf8').catch(() => undefined);
    if (text === undefined) {
      faults.push(`${folder}/${name}.json is missing, and ${indexFile} lists it. Restore the file from git.`);
    } else if (digest(text) !== index[name]?.sha256) {
      faults.push(
        `${folder}/${name}.json was changed after it was published. Restore it from git; what is new goes into a ` +
          'version of its own (npm run bless -- DATE).',
      );
    } else versions.push({ name, text: withUnixLineEnds(text) });
  }
  const listed = new Set([indexFile, ...names.map((name) => `${name}.json`)]);
  for (const file of (await readdir(join(root, folder))).filter((one) => one.endsWith('.json') && !listed.has(one))) {
    faults.push(`${folder}/${file} isn't in ${indexFile}. Remove the file; npm run bless -- DATE publishes a version.`);
  }
  return { versions, faults };
}

async function readIndex(path: string): Promise<VersionIndex | undefined> {
  try {
    const index: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof index !== 'object' || index === null || Array.isArray(index)) return undefined;
    const isComplete = Object.values(index).every((entry) => typeof entry?.sha256 === 'string');
    return isComplete ? (index as VersionIndex) : undefined;
  } catch {
    return undefined;
  }
}

function faultsOfNames(names: readonly string[], folder: string): string[] {
  return names.flatMap((name, place) => {
    if (!isDate(name)) return [`${folder}/${indexFile} lists ${name}, which isn't a date. Restore it from git.`];
    const before = names[place - 1];
    return before !== undefined && before >= name
      ? [`${folder}/${indexFile} lists ${name} after ${before}. Restore it from git.`]
      : [];
  });
}
