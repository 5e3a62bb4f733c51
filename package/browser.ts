/** The sandbox inside a page, a worker or a service worker: no server, no process, nothing leaves the browser. */
import { basePath } from '../contract/match.ts';
import { contract, createSandbox as createApp } from '../mocks/sandbox/browser/app.ts';
import { openWasmStore } from '../mocks/sandbox/browser/store.ts';
import { embed, readParts, warmUp } from './embedded.ts';
import type { BrowserSandboxOptions, EmbeddedSandbox } from './sandboxTypes.ts';

export type { SnapshotDocument, World, WorldName } from '../mocks/sandbox/worlds/shape.ts';
export type { BrowserSandboxOptions, EmbeddedSandbox } from './sandboxTypes.ts';

/** An address that no server has, so that a request which passes the sandbox by fails at once. */
const origin = 'http://sandbox.invalid';

/**
 * Opens a sandbox in this page or worker.
 * @throws Error when the Content-Security-Policy forbids what it needs, when another page has the name of `keepAs`, when
 * the browser keeps nothing, and for a world that the interface would refuse.
 */
export async function createSandbox(options: BrowserSandboxOptions = {}): Promise<EmbeddedSandbox> {
  requireEval();
  const parts = readParts(options);
  const opening = openWasmStore(options.keepAs);
  // Meanwhile SQLite is fetched and compiled.
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

/** Validators are compiled from the contract while it runs, which a policy must allow. */
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
