// The sandbox in this page: a service worker that answers below its own address. It starts with the first request to
// it, so that readers who send no request don't load it.
(() => {
  const { inPage } = globalThis.countersign ?? {};
  if (inPage === undefined || navigator.serviceWorker === undefined) return;
  const worker = new URL(inPage.worker, location.href);
  const root = new URL('sandbox', worker).href;
  const options = { baseUrl: root + inPage.basePath, controlUrl: `${root}/__sandbox`, keepAs: root, reference: true };
  let started;
  const start = async () => {
    // This page before a reload, or another page, has started it, so no network is needed.
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
      // After a failure, the next request tries again.
      await started.catch((error) => {
        started = undefined;
        throw error;
      });
    }
    return send(input, init);
  };
  globalThis.countersignInPage = options;
})();
