// The sandbox in this page: a service worker that answers below an address of its own. It starts with the first request to
// it, so that nobody loads it who only reads.
(() => {
  const { inPage } = globalThis.countersign ?? {};
  if (inPage === undefined || navigator.serviceWorker === undefined) return;
  const worker = new URL(inPage.worker, location.href);
  const root = new URL('sandbox', worker).href;
  const options = { baseUrl: root + inPage.basePath, controlUrl: `${root}/__sandbox`, keepAs: root, reference: true };
  let started;
  const start = async () => {
    // Started by this page before it was reloaded, or by another: that needs no network.
    const { controller } = navigator.serviceWorker;
    if (controller !== null && new URL(controller.scriptURL).pathname === worker.pathname) return;
    const { startSandboxWorker } = await import(new URL('start-worker.js', worker));
    await startSandboxWorker(worker, options);
  };
  const send = globalThis.fetch.bind(globalThis);
  globalThis.fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : new URL(input, location.href).href;
    if (address.startsWith(`${root}/`)) {
      started ??= start();
      // What failed is tried again with the next request.
      await started.catch((error) => {
        started = undefined;
        throw error;
      });
    }
    return send(input, init);
  };
  globalThis.countersignInPage = options;
})();
