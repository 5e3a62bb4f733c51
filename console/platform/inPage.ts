/** A sandbox in the page: reads the settings of a published page and starts the sandbox that answers it. */
import type { BasicCredentials } from '../../generated/client.ts';
import type { Connection } from './connection.ts';

/** The settings that the page of a site has in `<meta name="countersign-in-page">` (scripts/site/console.ts). */
export interface InPageSettings extends BasicCredentials {
  /** The address of the service worker, relative to the page. */
  readonly worker: string;
  /** The base path of the contract. */
  readonly basePath: string;
  /** The address of the contract, relative to the page. */
  readonly contract: string;
}

/** The settings of this page. @returns undefined if a server answers the page */
export function readInPageSettings(): InPageSettings | undefined {
  const element = document.querySelector<HTMLMetaElement>('meta[name="countersign-in-page"]');
  return element === null ? undefined : (JSON.parse(element.content) as InPageSettings);
}

/** What `start-worker.js` of a site exports (package/startWorker.ts). */
interface StartWorker {
  startSandboxWorker(script: URL, options: Readonly<Record<string, unknown>>): Promise<void>;
}

/**
 * The sandbox that a site's service worker runs. The site's reference uses the same sandbox: same worker, same
 * addresses, same name (scripts/generate/reference/sandbox.js). It starts with the first request.
 */
export function connectInPage(settings: InPageSettings): Connection {
  const { clientId, clientSecret, basePath } = settings;
  const worker = new URL(settings.worker, location.href);
  const root = new URL('sandbox', worker).href;
  const options = { baseUrl: root + basePath, controlUrl: `${root}/__sandbox`, keepAs: root, reference: true };
  allowScript(worker);
  const start = async (): Promise<void> => {
    if (navigator.serviceWorker === undefined) {
      throw new Error(
        'This browser has no service workers here: they need https, or localhost, and no private window.',
      );
    }
    // Another page may have started it, or this page before a reload. Then it needs no network.
    const { controller } = navigator.serviceWorker;
    if (controller !== null && new URL(controller.scriptURL).pathname === worker.pathname) return;
    const script = new URL('start-worker.js', worker).href;
    const { startSandboxWorker } = (await import(/* @vite-ignore */ script)) as StartWorker;
    await startSandboxWorker(worker, options);
  };
  let started: Promise<void> | undefined;
  let contract: Promise<unknown> | undefined;
  return {
    origin: root,
    isInPage: true,
    suggested: { clientId, clientSecret },
    async fetch(request) {
      started ??= start();
      // If it failed, the next request tries again.
      await started.catch((error: unknown) => {
        started = undefined;
        throw error;
      });
      return fetch(request, { credentials: 'omit' });
    },
    readContract() {
      contract ??= readJson(new URL(settings.contract, location.href)).catch((error: unknown) => {
        contract = undefined;
        throw error;
      });
      return contract;
    },
  };
}

async function readJson(address: URL): Promise<unknown> {
  const response = await fetch(address, { credentials: 'omit' });
  if (!response.ok) throw new Error("This site doesn't include the contract.");
  return response.json();
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): unknown;
}

/** The page's policy forbids loading a script by a computed address. This allows the service worker's scripts only. */
function allowScript({ origin, pathname }: URL): void {
  const { trustedTypes } = globalThis as unknown as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createScriptURL(address) {
      const asked = new URL(address, location.href);
      if (asked.origin === origin && asked.pathname === pathname) return address;
      throw new TypeError(`The console loads no script from ${asked.href}.`);
    },
  });
}
