/** The sandbox inside a page, a worker or a service worker: no server, no process, and nothing leaves the browser. */
import { basePath } from '../contract/match.ts';
import { contract, createSandbox as createApp } from '../mocks/sandbox/browser/app.ts';
import { openWasmStore } from '../mocks/sandbox/browser/store.ts';
import { embed, readParts, warmUp } from './embedded.ts';
import type { BrowserSandboxOptions, EmbeddedSandbox } from './sandboxTypes.ts';

export type { SnapshotDocument, World, WorldName } from '../mocks/sandbox/worlds/shape.ts';
export type { BrowserSandboxOptions, EmbeddedSandbox } from './sandboxTypes.ts';

/** No server has this address, so a request that bypasses the sandbox fails at once. */
const origin = 'http://sandbox.invalid';

/**
 * Opens a sandbox in this page or worker.
 * @throws Error if the Content-Security-Policy forbids what it needs, if another page uses the name of `keepAs`, if the
 * browser stores nothing, and for a world that the interface would refuse.
 */
export async function createSandbox(options: BrowserSandboxOptions = {}): Promise<EmbeddedSandbox> {
  requireEval();
  const parts = readParts(options);
  const opening = openWasmStore(options.keepAs);
  // Loads the contract while SQLite is fetched and compiled.
  contract();
  const store = await opening;
  try {
    const app = await createApp({ ...parts, store });
    const { sandbox } = embed(app, store, { origin: () => origin });
    if (options.warm) await warmUp(contract(), sandbox);
    return { url: origin + basePath, ...sandbox };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Validators are compiled at run time, so the policy must allow `eval`. */
function requireEval(): void {
  try {
    new Function('');
  } catch (cause) {
    throw new Error(
      "This page's Content-Security-Policy forbids what the sandbox needs: add 'unsafe-eval' and 'wasm-unsafe-eval' to " +
        'its script-src, or let the service worker run the sandbox, which has a policy of its own.',
      { cause },
    );
  }
}
