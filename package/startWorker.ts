/** A page's side of the service worker: it registers the file, and waits until requests go through it. */

/** What the service worker is told; see README of the package. */
export interface WorkerOptions {
  /** The base address that the pages call, with its version: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Where the control surface is; `/__sandbox` of the same origin when absent. */
  readonly controlUrl?: string | undefined;
  /** A name that the state is kept under; one for each origin when absent. */
  readonly keepAs?: string | undefined;
  readonly proofs?: 'magic' | 'real' | undefined;
  readonly world?: 'ready-made' | 'examples' | undefined;
  readonly seed?: number | undefined;
  /** Makes a platform `reference:reference` with the world of the examples too, as the reference of the sandbox has it. */
  readonly reference?: true | undefined;
}

/**
 * Starts the sandbox as a service worker, and comes back when it answers the requests of this page.
 * @param script the address of `service-worker.js`, with `sqlite3.wasm` beside it. Pages below its folder are served.
 * @throws Error when the browser has no service workers, and for an option that is none.
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
  // A page that was reloaded past its cache belongs to no worker until one asks for it.
  active?.postMessage('claim');
  await taken;
}
