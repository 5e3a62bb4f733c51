/** What a sandbox inside a program has in common on Node and in a page. */
import type { Contract } from '../contract/contract.ts';
import { basePath, watchPath } from '../contract/match.ts';
import { operations } from '../generated/operations.ts';
import type { CoreParts } from '../mocks/sandbox/core.ts';
import type { Store } from '../mocks/sandbox/store/store.ts';
import { seededChance, systemChance } from '../mocks/sandbox/tools/chance.ts';
import { seededStart, systemClock } from '../mocks/sandbox/tools/clock.ts';
import { given } from '../mocks/sandbox/tools/given.ts';
import type { WebApp } from '../mocks/sandbox/transport/front.ts';
import { defaultPlatform } from '../mocks/sandbox/worlds/readyMade.ts';
import type { EmbeddedOptions, EmbeddedSandbox } from './sandboxTypes.ts';
import { type Place, steer } from './steering.ts';

/** Builds the parts that the options ask for. @throws TypeError for an invalid seed or instant */
export function readParts(options: EmbeddedOptions): Omit<CoreParts, 'store' | GivenByRuntime> {
  const { seed, frozenAt, proofs, world, onFault } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new TypeError(`A seed is a whole number, not ${seed}.`);
  const standsAt = frozenAt?.getTime() ?? (seed === undefined ? undefined : seededStart);
  if (Number.isNaN(standsAt)) throw new TypeError('frozenAt is not a valid date.');
  return {
    clock: systemClock,
    chance: seed === undefined ? systemChance : seededChance(seed),
    // Only the sandbox's own faults are reported.
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

/** What the runtime knows about an open sandbox. */
export interface Runtime {
  /** The origin of the sandbox's addresses. It is read at each use, because a port may come later. */
  readonly origin: () => string;
  readonly controlToken?: string | undefined;
  /** Called when no request is in flight any more, before the store is closed. */
  readonly stop?: () => Promise<void>;
}

/** Makes a sandbox for a program. */
export function embed(app: WebApp, store: Store, { origin, controlToken, stop }: Runtime): Embedding {
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
  const { clientId, clientSecret } = defaultPlatform;
  const place: Place = { origin, fetch, credentials: { clientId, clientSecret }, controlToken };
  const control = steer(place);
  const sandbox = {
    fetch,
    credentials: place.credentials,
    control,
    client: control.client,
    platform: control.platform,
    reset: () => control.platforms.reset(),
    advance: async (seconds: number) => void (await control.clock.advance(seconds)),
    close() {
      closing ??= (async () => {
        await Promise.allSettled(inFlight);
        app.endStreams();
        await stop?.();
        await store.close();
      })();
      return closing;
    },
  };
  return { sandbox, isClosing: () => closing !== undefined };
}

/** Prepares what the first requests need: the validators of every operation, and the modules that load at first use. */
export async function warmUp(contract: Contract, { fetch }: Pick<EmbeddedSandbox, 'fetch'>): Promise<void> {
  for (const operation of operations) {
    for (const place of ['path', 'query', 'header'] as const) contract.checkParameters(operation, place, {});
    if (operation.body !== 'none') contract.checkRequest(operation, {});
    for (const status of operation.statuses) if (status < 300) contract.checkResponse(operation, status, {});
  }
  // These requests have no credentials, so no platform records them, and the first is one of a watcher, so that it
  // doesn't count as refused.
  for (const path of [`${watchPath}${basePath}/config`, '/__sandbox/clock']) await (await fetch(path)).text();
}

/** Completes a path to an address: below the base, or on the control surface. */
function addressOf(input: URL | string, origin: string): URL | string {
  if (typeof input !== 'string' || !input.startsWith('/')) return input;
  return origin + (input.startsWith('/__sandbox/') ? '' : basePath) + input;
}
