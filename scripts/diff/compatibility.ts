/** Decides whether the newer contract may replace the older one. */
import type { ContractDocument } from '../lib/contract.ts';
import type { Change } from './change.ts';

export interface Compatibility {
  readonly isFine: boolean;
  readonly says: string;
}

const date = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The version is a date, and part of every address. So a breaking change is allowed if `info.version` is a later date
 * and each server's address ends in it: clients of the older contract keep using the older address.
 *
 * @param corrected subjects whose breaking changes the changelog calls corrections: the contract described something
 * that the service never did, so no client could rely on it
 */
export function judge(
  base: ContractDocument,
  revision: ContractDocument,
  changes: readonly Change[],
  corrected: ReadonlySet<string> = new Set(),
): Compatibility {
  const breaks = changes.filter(({ level }) => level === 'breaking');
  const breaking = breaks.filter(({ subject }) => !corrected.has(subject)).length;
  const [before, after] = [versionOf(base), versionOf(revision)];
  if (breaking === 0) {
    const none =
      breaks.length === 0 ? 'No breaking change' : 'No breaking change but those that the changelog calls corrections';
    return { isFine: true, says: `${none}; info.version ${after} may stay.` };
  }
  const count = breaking === 1 ? '1 breaking change' : `${breaking} breaking changes`;
  const refuse = (why: string): Compatibility => ({ isFine: false, says: `${count}, and ${why}` });
  if (!date.test(after) || !date.test(before)) {
    return refuse(`info.version isn't a date (${before} → ${after}): give both sides a version like 2025-10-13.`);
  }
  if (after <= before) {
    const is = after === before ? `is still ${after}` : `went back from ${before} to ${after}`;
    return refuse(`info.version ${is}: take the change back, or give the contract a later date and address.`);
  }
  const stale = (revision.servers ?? []).find(({ url }) => !url.endsWith(`/${after}`));
  if (stale !== undefined) return refuse(`the server ${stale.url} does not end in the new version /${after}.`);
  return { isFine: true, says: `${count}; info.version says so: ${before} → ${after}.` };
}

function versionOf(contract: ContractDocument): string {
  return (contract as { info?: { version?: string } }).info?.version ?? '';
}
