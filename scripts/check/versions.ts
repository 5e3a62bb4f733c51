/** Checks that the contract, its published versions and its changelog agree. */

import type { Change } from '../diff/change.ts';
import { changelogFile, compareChangelog, correctedSubjects, parseChangelog } from '../diff/changelog.ts';
import { judge } from '../diff/compatibility.ts';
import type { ContractDocument } from '../lib/contract.ts';
import type { Versions } from '../lib/versions.ts';

export interface State {
  /** Path of the contract's root document from the project's folder. */
  readonly contractFile: string;
  /** The contract as one JSON document. */
  readonly bundle: string;
  readonly published: Versions;
  /** The text of the changelog. */
  readonly changelog: string;
}

/** Lists the differences between two contracts: `compareContracts`. */
export type Compare = (base: ContractDocument, revision: ContractDocument) => Promise<readonly Change[]>;

/**
 * Finds faults between the contract and its newest version: a published file that was changed, a breaking change under
 * the same `info.version`, a change that the changelog doesn't name, a part of the changelog without a version.
 *
 * @param compare is called only if the contract differs from the newest version, because it takes seconds
 * @returns each as a sentence with its repair
 */
export async function findVersionFaults(state: State, compare: Compare): Promise<string[]> {
  const { published, bundle, contractFile } = state;
  if (published.faults.length > 0) return [...published.faults];
  const newest = published.versions.at(-1);
  if (newest === undefined) return ['No version of the contract is published. Publish one: npm run bless -- DATE.'];
  const changelog = parseChangelog(state.changelog);
  const faults = compareParts(
    published.versions.map(({ name }) => name),
    changelog.versions,
    changelogFile(contractFile),
  );
  const [base, revision] = [newest.text, bundle].map((text) => JSON.parse(text) as ContractDocument) as [
    ContractDocument,
    ContractDocument,
  ];
  const changes = newest.text === bundle ? [] : await compare(base, revision);
  const { isFine, says } = judge(base, revision, changes, correctedSubjects(changelog));
  if (!isFine) faults.push(`Since ${newest.name}: ${says}`);
  return [...faults, ...compareChangelog(changelog.unreleased ?? [], changes)];
}

/** The changelog has one part for each version, newest first, and no other parts. */
function compareParts(versions: readonly string[], parts: readonly string[], file: string): string[] {
  const unknown = parts.filter((part) => !versions.includes(part));
  const missing = versions.filter((version) => !parts.includes(version));
  const faults = [
    ...unknown.map(
      (part) =>
        `${file} has a part ${part}, which isn't published. Call it Unreleased; npm run bless -- DATE gives it a date.`,
    ),
    ...missing.map((version) => `${file} has no part for ${version}. Restore it from git.`),
  ];
  if (faults.length === 0 && parts.join() !== versions.toReversed().join()) {
    faults.push(`${file} has its parts in another order than the newest first.`);
  }
  return faults;
}
