/** What is the same of a sandbox inside a program, whether that runs on Node or in a page. */
import { basePath } from '../contract/match.ts';
import type { CoreParts } from '../mocks/sandbox/core.ts';
import type { Store } from '../mocks/sandbox/store/store.ts';
import { seededChance, systemChance } from '../mocks/sandbox/tools/chance.ts';
import { seededStart, systemClock } from '../mocks/sandbox/tools/clock.ts';
import { given } from '../mocks/sandbox/tools/given.ts';
import type { WebApp } from '../mocks/sandbox/transport/front.ts';
import { defaultPlatform } from '../mocks/sandbox/worlds/readyMade.ts';
import type { EmbeddedOptions, EmbeddedSandbox } from './sandboxTypes.ts';

/** The parts that the options ask for. @throws TypeError for a seed or an instant that is none. */
export function readParts(options: EmbeddedOptions): Omit<CoreParts, 'store' | GivenByRuntime> {
  const { seed, frozenAt, proofs, world, onFault } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new TypeError(`A seed is a whole number, not ${seed}.`);
  const standsAt = frozenAt?.getTime() ?? (seed === undefined ? undefined : seededStart);
  if (Number.isNaN(standsAt)) throw new TypeError('frozenAt is not a valid date.');
  return {
    clock: systemClock,
    chance: seed === undefined ? systemChance : seededChance(seed),
    // Only the sandbox's own faults are told.
    log: { info: () => {}, error: onFault ?? ((line, facts) => console.error(line, facts)) },
    ...given({ frozenAt: standsAt, proofs, world }),
  };
}

type GivenByRuntime = 'contract' | 'controlContract' | 'usage' | 'fetchKeySet' | 'mountPages';

/** An open sandbox, and what its runtime adds to it. */
export interface Embedding {
  readonly sandbox: Omit<EmbeddedSandbox, 'url'>;
  readonly isClosing: () => boolean;
}

/**
 * @param origin of the addresses that are called; asked for each time, as a port may come later.
 * @param stop is called once nothing is in flight any more, before the store is closed.
 */
export function embed(app: WebApp, store: Store, origin: () => string, stop = async () => {}): Embedding {
  const inFlight = new Set<Promise<Response>>();
  let closing: Promise<void> | undefined;

  const fetch: EmbeddedSandbox['fetch'] = async (input, init) => {
    if (closing !== undefined) throw new Error('The sandbox is closed.');
    const request = input instanceof Request ? new Request(input, init) : new Request(addressOf(input, origin()), init);
    request.signal.throwIfAborted();
    const answer = Promise.resolve(app.fetch(request));
    inFlight.add(answer);
    return answer.finally(() => inFlight.delete(answer));
  };
  const steer = async (path: string, body?: object): Promise<void> => {
    const { clientId, clientSecret } = defaultPlatform;
    const headers = {
      Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      'Content-Type': 'application/json',
    };
    const response = await fetch(`/__sandbox${path}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) });
    if (!response.ok) throw new Error(((await response.json()) as { message: string }).message);
  };
  const sandbox = {
    fetch,
    reset: () => steer('/reset'),
    advance: (seconds: number) => steer('/clock', { advanceSeconds: seconds }),
    close() {
      closing ??= (async () => {
        await Promise.allSettled(inFlight);
        app.endStreams();
        await stop();
        await store.close();
      })();
      return closing;
    },
  };
  return { sandbox, isClosing: () => closing !== undefined };
}

/** A path stands for an address below the base, or on the control surface. */
function addressOf(input: URL | string, origin: string): URL | string {
  if (typeof input !== 'string' || !input.startsWith('/')) return input;
  return origin + (input.startsWith('/__sandbox/') ? '' : basePath) + input;
}
