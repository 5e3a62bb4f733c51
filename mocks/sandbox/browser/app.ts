import { readContract } from '../../../contract/contract.ts';
import { once } from '../../../contract/memoize.ts';
import controlDocument from '../../../generated/control.json' with { type: 'json' };
import document from '../../../generated/openapi.json' with { type: 'json' };
import { type CoreParts, createCore } from '../core.ts';
import { processUsage } from '../node/machine/usage.ts';
import type { WebApp } from '../transport/front.ts';
import { fetchKeySet } from './keySets.ts';
// Node loads these modules on demand. Here they load at the start, because a page may have no network later. Only the
// modules for real proofs load later.
import '@hpke/core';
import '../control/control.ts';
import '../control/world.ts';
import '../store/migrate.ts';
import '../worlds/examples/page.ts';

/** The parts that a page supplies itself. */
type Given = 'contract' | 'controlContract' | 'usage' | 'fetchKeySet' | 'mountPages' | 'mountMcp';

// Each is read once for the whole page, whichever sandbox needs it first. No other code uses the documents.
/** The contract of the interface. Reading it takes a while, so start it while something else loads. */
export const contract = once(() => readContract(document));
const controlContract = once(() => readContract(controlDocument));

/** A request to this path creates the platform of the reference page, if it doesn't exist yet. */
export const openReference = '/reference/access';

/**
 * Creates the sandbox in a page or a worker. It serves no pages, because it has no address that a browser could open.
 * @throws StorageUnavailable if the store can't be used, Problem if the world isn't valid.
 */
export function createSandbox(parts: Omit<CoreParts, Given>): Promise<WebApp> {
  return createCore({
    contract: contract(),
    controlContract,
    usage: processUsage,
    fetchKeySet,
    async mountPages(table, { reference }) {
      const answer = async () => ({ status: 200, body: await reference() });
      table.add({ method: 'GET', path: openReference, answer });
    },
    ...parts,
  });
}
