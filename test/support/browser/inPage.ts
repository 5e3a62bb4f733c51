/** The test's side of the bridge: stores and sandboxes in the page of a real Chromium (bridge.ts). */
import type { Reader, Result, Slices, Statement, Store } from '../../../mocks/sandbox/store/store.ts';
import type { PageCalls, PageParts, PageReply } from './bridgeTypes.ts';

/** The page's functions, callable from here. */
export function callsOf(bridge: string): PageCalls {
  const call =
    (name: keyof PageCalls) =>
    async (...given: unknown[]): Promise<never> => {
      const answer = await fetch(`${bridge}/${name}`, { method: 'POST', body: JSON.stringify(given) });
      const { value } = (await answer.json()) as { value?: { failed?: string } };
      if (value?.failed !== undefined) throw new Error(value.failed);
      return value as never;
    };
  return {
    openStore: call('openStore'),
    closeStore: call('closeStore'),
    execute: call('execute'),
    open: call('open'),
    answer: call('answer'),
  };
}

/** A store in the page. Outside of a sandbox, a test runs one statement at a time. */
export class StoreInPage implements Store {
  readonly calls: PageCalls;
  readonly id: number;

  constructor(calls: PageCalls, id: number) {
    this.calls = calls;
    this.id = id;
  }

  /** @param keepAs the name under which its state is kept; without it the store is in memory. */
  static async open(bridge: string, keepAs: string | null = null): Promise<StoreInPage> {
    const calls = callsOf(bridge);
    return new StoreInPage(calls, await calls.openStore(keepAs));
  }

  read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(this.#reader());
  }

  transaction<T>(_platformId: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(this.#reader());
  }

  hold<T>(_platformId: string, work: (slices: Slices) => Promise<T>): Promise<T> {
    return work({ run: (part) => part(this.#reader()) });
  }

  counts(): never {
    throw new Error('A store in the page counts there.');
  }

  close(): Promise<void> {
    return this.calls.closeStore(this.id);
  }

  #reader(): Reader {
    const execute = ({ sql, parameters }: Statement) => this.calls.execute(this.id, sql, parameters) as Promise<Result>;
    return { execute } as Reader;
  }
}

/** The test's parts that can be sent to a page. */
export type PartsForPage = Omit<PageParts, 'store' | 'now'>;

/** Opens a sandbox on a store of the page. Its log lines are added to `log`. @returns its `fetch` */
export async function openInPage(
  store: StoreInPage,
  now: number,
  parts: PartsForPage,
  log: PageReply['log'][number][],
): Promise<(request: Request) => Promise<Response>> {
  const app = await store.calls.open({ store: store.id, now, ...parts });
  return async (request) => {
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer()).toString('base64');
    const { method, url, headers } = request;
    const reply = await store.calls.answer(app, { method, url, headers: [...headers], body });
    log.push(...reply.log);
    const bytes = Buffer.from(reply.body, 'base64');
    const answered = reply.headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(bytes.length === 0 ? null : bytes, { status: reply.status, headers: answered });
  };
}
