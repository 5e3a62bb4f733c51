/** Decides whether a version of the contract can be published, and which files that writes. */

import type { Change } from '../diff/change.ts';
import { changelogFile, compareChangelog, correctedSubjects, parseChangelog } from '../diff/changelog.ts';
import { judge } from '../diff/compatibility.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { digest, indexFile, isDate, type Version, versionsFolder } from '../lib/versions.ts';

/** Why a version can't be published, and what to do about it. The message is shown on the command line. */
export class CannotBless extends Error {}

export interface Publication {
  /** Path of the contract's root document from the project's folder. */
  readonly contractFile: string;
  /** The date to publish under; `info.version` by default. */
  readonly name?: string | undefined;
  /** The contract as one JSON document. */
  readonly bundle: string;
  /** The versions that are published already, oldest first. */
  readonly versions: readonly Version[];
  /** The text of the changelog. */
  readonly changelog: string;
  /** The differences between the newest version and the bundle; empty for the first version. */
  readonly changes: readonly Change[];
}

/** The files that publishing writes: text by path from the project's folder. */
export interface Plan {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Decides whether the contract can be published as a version.
 *
 * @returns what to write; no files if this version is published already
 * @throws CannotBless with the cause and the repair.
 */
export function planVersion(publication: Publication): Plan {
  const { bundle, versions, changelog, changes, contractFile } = publication;
  const contract = JSON.parse(bundle) as ContractDocument;
  const address = (contract.info as { version?: string } | undefined)?.version ?? '';
  const name = publication.name ?? address;
  if (!isDate(name)) throw new CannotBless(`${name} isn't a date. Name the day of publication, such as 2026-01-20.`);
  const same = versions.find((version) => version.name === name);
  if (same?.text === bundle) return { name, files: new Map() };
  refuseName({ name, address, isPublished: same !== undefined, newest: versions.at(-1)?.name });
  refuseChanges(publication, contract);
  const log = changelogFile(contractFile);
  const { unreleased } = parseChangelog(changelog);
  if (unreleased === undefined) {
    throw new CannotBless(`${log} has no part \`## Unreleased\`. Write there what is new in ${name}, then publish.`);
  }
  const faults = compareChangelog(unreleased, changes);
  if (faults.length > 0) throw new CannotBless([`${log} isn't ready:`, ...faults].join('\n'));
  const folder = versionsFolder(contractFile);
  const all = [...versions, { name, text: bundle }];
  const index = Object.fromEntries(all.map((version) => [version.name, { sha256: digest(version.text) }]));
  return {
    name,
    files: new Map([
      [`${folder}/${name}.json`, bundle],
      [log, changelog.replace(/^## Unreleased *$/m, `## ${name}`)],
      [`${folder}/${indexFile}`, `${JSON.stringify(index, null, 2)}\n`],
    ]),
  };
}

interface Names {
  readonly name: string;
  readonly address: string;
  readonly isPublished: boolean;
  readonly newest: string | undefined;
}

function refuseName({ name, address, isPublished, newest }: Names): void {
  if (isPublished) {
    throw new CannotBless(
      `${name} is published with another content, and a published version never changes. Name the day of ` +
        'publication: npm run bless -- DATE. After a breaking change, give info.version and the servers a later date.',
    );
  }
  if (newest !== undefined && name < newest) {
    throw new CannotBless(`${name} is before ${newest}, the newest version. Name a later date.`);
  }
  if (!isDate(address) || address > name) {
    throw new CannotBless(`info.version is ${address}: set it to a date that isn't before ${name}.`);
  }
}

function refuseChanges({ versions, bundle, changelog, changes }: Publication, contract: ContractDocument): void {
  const newest = versions.at(-1);
  if (newest === undefined) return;
  if (newest.text === bundle) {
    throw new CannotBless(`The contract hasn't changed since ${newest.name}, so there is nothing to publish.`);
  }
  const corrected = correctedSubjects(parseChangelog(changelog));
  const { isFine, says } = judge(JSON.parse(newest.text) as ContractDocument, contract, changes, corrected);
  if (!isFine) throw new CannotBless(says);
}
