import { bundleLocation, controlLocation, loadContract, loadControlContract, readBundle } from '../../contract/file.ts';
import { type CoreParts, createCore } from './core.ts';
import { processUsage } from './node/machine/usage.ts';
import type { WebApp } from './transport/front.ts';

/** The parts that Node supplies. Only a test passes another contract or usage. */
type Given = 'contract' | 'usage';

/** The parts of a sandbox on Node. */
export interface SandboxParts
  extends Omit<CoreParts, Given | 'controlContract' | 'fetchKeySet' | 'mountPages' | 'mountMcp'>,
    Partial<Pick<CoreParts, Given>> {}

/**
 * Creates the sandbox on Node. `(await createSandbox(parts)).fetch(request)` answers a web request in process, and a
 * server can put the same app on a port. On a new store it creates the default platform with its ready-made world.
 * @throws StorageUnavailable if the store can't be used, Problem if the world isn't valid.
 */
export function createSandbox(parts: SandboxParts): Promise<WebApp> {
  return createCore({
    contract: parts.contract ?? loadContract(),
    controlContract: loadControlContract,
    usage: processUsage,
    async fetchKeySet(url, options) {
      const { createKeySetFetch } = await import('./node/keySets.ts');
      return createKeySetFetch(parts.controlToken === undefined ? 'any' : 'public')(url, options);
    },
    async mountMcp(table, access) {
      const { mountMcp } = await import('./mcp/route.ts');
      mountMcp(table, { ...access, document: async () => readBundle() });
    },
    async mountPages(table, { credentials, reference }) {
      const { mountPages } = await import('./node/pages.ts');
      mountPages(table, {
        name: 'Countersign sandbox',
        about: 'A sandbox that behaves as the interface says. It keeps what you do, and no money moves.',
        credentials,
        contract: bundleLocation,
        control: controlLocation,
        reference,
      });
    },
    ...parts,
  });
}
