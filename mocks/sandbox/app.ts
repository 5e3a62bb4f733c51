import { bundleLocation, controlLocation, loadContract, loadControlContract, readBundle } from '../../contract/file.ts';
import { type CoreParts, createCore } from './core.ts';
import { createKeySetFetch } from './node/keySets.ts';
import { processUsage } from './node/machine/usage.ts';
import type { WebApp } from './transport/front.ts';

/** What Node gives by itself; another contract, or another usage, is a test's. */
type Given = 'contract' | 'usage';

/** What a sandbox on Node is made of. */
export interface SandboxParts
  extends Omit<CoreParts, Given | 'controlContract' | 'fetchKeySet' | 'mountPages' | 'mountMcp'>,
    Partial<Pick<CoreParts, Given>> {}

/**
 * The sandbox on Node: `(await createSandbox(parts)).fetch(request)` answers a web request in process, and a server can
 * put the same app on a port. On a new store it makes the default platform with its ready-made world.
 * @throws StorageUnavailable when the store can't be used, Problem when the world is not one.
 */
export function createSandbox(parts: SandboxParts): Promise<WebApp> {
  return createCore({
    contract: parts.contract ?? loadContract(),
    controlContract: loadControlContract,
    usage: processUsage,
    fetchKeySet: createKeySetFetch(parts.controlToken === undefined ? 'any' : 'public'),
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
