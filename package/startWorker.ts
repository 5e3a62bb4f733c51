/** The page's side of the service worker: registers the file, and waits until the worker answers requests. */

/** Settings of the service worker. The package's README explains them. */
export interface WorkerOptions {
  /** The base address that the pages call, with its version: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** The address of the control surface; `/__sandbox` on the same origin if absent. */
  readonly controlUrl?: string | undefined;
  /** The name under which the state is kept; one per origin if absent. */
  readonly keepAs?: string | undefined;
  readonly proofs?: 'magic' | 'real' | undefined;
  readonly world?: 'ready-made' | 'examples' | undefined;
  readonly seed?: number | undefined;
  /**
   * Also creates a platform `reference:reference` with the world of the examples, as the sandbox's reference page does.
   */
  readonly reference?: true | undefined;
}

/**
 * Starts the sandbox as a service worker. Resolves when the worker answers this page's requests.
 * @param script the address of `service-worker.js`, with `sqlite3.wasm` beside it. The worker serves pages below its
 * folder.
 * @throws Error if the browser has no service workers, and for an invalid option.
 */
export async function startSandboxWorker(script: string | URL, options: WorkerOptions): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) {
    throw new Error('This browser has no service workers here: they need https, or localhost, and no private window.');
  }
  const address = new URL(script, location.href);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  await serviceWorker.register(address, { type: 'module' });
  const { active } = await serviceWorker.ready;
  if (serviceWorker.controller !== null) return;
  const taken = new Promise<void>((resolve) => {
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true });
  });
  // A page that was reloaded without its cache has no worker until it asks for one.
  active?.postMessage('claim');
  await taken;
}
