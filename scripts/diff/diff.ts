/**
 * Lists what has changed in the contract since its newest version or another state, how each change affects a client,
 * and whether `info.version` reflects it. The command is cli/diff.ts.
 */
import { operationsAt } from '../lib/places.ts';
import type { Change } from './change.ts';
import { correctedSubjects, parseChangelog, readChangelog } from './changelog.ts';
import { compareContracts } from './compare.ts';
import { judge } from './compatibility.ts';
import { formats } from './report.ts';
import { type Bundle, defaultBase, readNamed, readNewestVersion, readWorkingTree } from './sources.ts';

export interface DiffOptions {
  /**
   * A published version, a git ref or a path. The default is the newest version or, if there is none, the commit where
   * the branch left main.
   */
  readonly base: string | undefined;
  readonly to: string | undefined;
  readonly contract: string;
  readonly format: keyof typeof formats;
}

/** The older side; undefined if none is named and there is none to compare with. */
async function readBase(root: string, { base, contract }: DiffOptions): Promise<Bundle | undefined> {
  if (base !== undefined) return readNamed(root, base, contract);
  const newest = await readNewestVersion(root, contract);
  if (newest !== undefined) return newest;
  const before = await defaultBase(root);
  return before === undefined ? undefined : readNamed(root, before, contract);
}

/**
 * Compares two states of a contract.
 * @param root the repository
 * @returns what to print, and whether the newer contract is allowed
 * @throws CannotCompare with the reason.
 */
export async function diff(root: string, options: DiffOptions): Promise<{ text: string; isFine: boolean }> {
  const { to, contract, format } = options;
  const newer: Promise<Bundle> = to === undefined ? readWorkingTree(root, contract) : readNamed(root, to, contract);
  const [from, until] = await Promise.all([readBase(root, options), newer]);
  if (from === undefined) return { text: 'This is the first commit: there is nothing to compare with.', isFine: true };
  const found = await compareContracts(from.contract, until.contract);
  const changes = withPlaces(found, from, until);
  const corrected = correctedSubjects(parseChangelog(await readChangelog(root, contract)));
  const verdict = judge(from.contract, until.contract, changes, corrected);
  const text = formats[format]({ base: from.name, revision: until.name, changes, verdict });
  return { text, isFine: verdict.isFine };
}

/** The changes with the operations that they affect, and their places in the files. */
function withPlaces(changes: readonly Change[], from: Bundle, until: Bundle): Change[] {
  const [before, after] = [operationsAt(from.contract), operationsAt(until.contract)];
  return changes.map((change) => {
    const place = until.locate?.(change.pointer);
    const operations = [...new Set([...after(change.pointer), ...before(change.pointer)])];
    return { ...change, operations, ...(place !== undefined && { place }) };
  });
}
