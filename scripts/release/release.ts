/** Decides whether a tag may be released, and returns the release notes. */
import { parseChangelog } from '../diff/changelog.ts';

export interface Candidate {
  /** The tag, such as `v1.2.0`. */
  readonly tag: string;
  /** package.json. */
  readonly manifest: { readonly version: string; readonly private?: boolean };
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  /** The current bundle of the contract, and the bundles of its published versions, oldest first. */
  readonly bundle: string;
  readonly published: readonly { readonly name: string; readonly text: string }[];
}

export interface Verdict {
  /** The faults that prevent the release, each as a sentence with its repair. */
  readonly faults: readonly string[];
  /** The version's part of the changelog, for the release page. */
  readonly notes: string;
}

/** Compares a tag with what it would publish. */
export function judgeRelease({ tag, manifest, changelog, bundle, published }: Candidate): Verdict {
  const { version } = manifest;
  const notes = partOf(changelog, version);
  const newest = published.at(-1);
  const faults: string[] = [];
  if (tag !== `v${version}`) {
    faults.push(`The tag is ${tag} and package.json says ${version}. Tag v${version}, or run npm version first.`);
  }
  if (manifest.private === true) {
    faults.push('package.json has "private": true, which npm publish refuses. Remove it.');
  }
  if (notes === undefined) {
    faults.push(`CHANGELOG.md has no part ## ${version}. Give the part Unreleased that name.`);
  } else if (notes === '') {
    faults.push(`The part ## ${version} of CHANGELOG.md is empty. Write what changes for users.`);
  }
  if (newest?.text !== bundle) {
    const since =
      newest === undefined ? 'No version of the contract is published' : `The contract changed since ${newest.name}`;
    faults.push(`${since}. Publish it first: npm run bless -- DATE.`);
  }
  return { faults, notes: notes ?? '' };
}

/** The text below the heading of a version; undefined if there is none. */
function partOf(changelog: string, version: string): string | undefined {
  if (!parseChangelog(changelog).versions.includes(version)) return undefined;
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line.trim() === `## ${version}`) + 1;
  const length = lines.slice(start).findIndex((line) => line.startsWith('## '));
  return lines
    .slice(start, length < 0 ? undefined : start + length)
    .join('\n')
    .trim();
}
