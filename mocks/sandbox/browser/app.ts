import { readContract } from '../../../contract/contract.ts';
import { once } from '../../../contract/memoize.ts';
import controlDocument from '../../../generated/control.json' with { type: 'json' };
import document from '../../../generated/openapi.json' with { type: 'json' };
import { type CoreParts, createCore } from '../core.ts';
import { processUsage } from '../node/machine/usage.ts';
import type { WebApp } from '../transport/front.ts';
import { fetchKeySet } from './keySets.ts';
// What Node loads when it is asked for is here from the start, as a page may have no network by then: only what real
// proofs need comes later.
import '@hpke/core';
import '../control/control.ts';
import '../control/world.ts';
import '../store/migrate.ts';
import '../worlds/examples/page.ts';

/** The parts that a page supplies itself. */
type Given = 'contract' | 'controlContract' | 'usage' | 'fetchKeySet' | 'mountPages' | 'mountMcp';

// Each is read once for the whole page, whichever sandbox asks first, and nobody else has the documents.
/** The contract of the interface. Reading it takes a while: best while something else is waited for. */
export const contract = once(() => readContract(document));
const controlContract = once(() => readContract(controlDocument));

/** Asking for it makes the platform of the reference page, where that isn't there yet. */
export const openReference = '/reference/access';

/**
 * The sandbox in a page or a worker. It serves no pages of its own, as there is no address that one could open.
 * @throws StorageUnavailable when the store can't be used, Problem when the world is not one.
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
