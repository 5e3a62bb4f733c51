/** The script of the page that the suites test: it holds stores and sandboxes of many tests, each by its number. */
import { ConnectionDropped, fromRequest, toResponse, WebHeaders } from '../../../mocks/exchange/web.ts';
import { createSandbox } from '../../../mocks/sandbox/browser/app.ts';
import { openWasmStore } from '../../../mocks/sandbox/browser/store.ts';
import type { Store } from '../../../mocks/sandbox/store/store.ts';
import { seededChance } from '../../../mocks/sandbox/tools/chance.ts';
import { given } from '../../../mocks/sandbox/tools/given.ts';
import type { WebApp } from '../../../mocks/sandbox/transport/front.ts';
import { plantedChance } from '../sandbox/plantedChance.ts';
import type { PageCalls, PageReply } from './bridgeTypes.ts';

interface Opened {
  readonly app: WebApp;
  readonly log: { line: string; facts?: Readonly<Record<string, unknown>> }[];
}

function createCalls(): PageCalls {
  const stores: Store[] = [];
  const apps: Opened[] = [];
  const storeAt = (index: number): Store => {
    const store = stores[index];
    if (store === undefined) throw new Error(`There is no store ${index}`);
    return store;
  };
  return {
    async openStore(keepAs) {
      return stores.push(await openWasmStore(keepAs ?? undefined)) - 1;
    },
    async closeStore(store) {
      await stores[store]?.close();
    },
    async execute(store, sql, parameters) {
      return storeAt(store).transaction('', (tx) => tx.execute({ sql, parameters: parameters as never }));
    },
    async open({ store, now, draws, proofs, world, frozenAt, controlToken }) {
      const log: Opened['log'] = [];
      const app = await createSandbox({
        store: storeAt(store),
        clock: { now: () => now },
        chance: draws === undefined ? seededChance(1) : plantedChance(draws),
        log: { info: (line) => log.push({ line }), error: (line, facts) => log.push({ line, ...given({ facts }) }) },
        ...given({ proofs, frozenAt, controlToken, world: world as never }),
      });
      return apps.push({ app, log }) - 1;
    },
    async answer(app, { method, url, headers, body }) {
      const opened = apps[app];
      if (opened === undefined) throw new Error(`There is no sandbox ${app}`);
      const sent = body === null ? {} : { body: await (await fetch(`data:;base64,${body}`)).arrayBuffer() };
      // A page's `Request` would drop headers that only a browser may set, such as `Origin`, which tests send.
      const request = {
        ...fromRequest(new Request(url, { method, ...sent })),
        headers: new WebHeaders(new Headers(headers.map(([name, value]): [string, string] => [name, value]))),
      };
      const reply = await opened.app.answer(request);
      if (reply.status === 0) throw new ConnectionDropped();
      const response = toResponse(reply, method);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        status: response.status,
        headers: [...response.headers],
        body: toBase64(bytes),
        log: opened.log.splice(0),
      } satisfies PageReply;
    },
  };
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

Object.assign(globalThis, { sandboxCalls: createCalls() });
