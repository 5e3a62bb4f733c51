import { basePath } from '../contract/match.ts';
import { readAdmission } from '../mocks/admission.ts';
import { createSandbox as createApp } from '../mocks/sandbox/app.ts';
import { type BoundServer, isLoopback } from '../mocks/sandbox/node/listening/bind.ts';
import { listen as putOnPort } from '../mocks/sandbox/node/listening/server.ts';
import { openSqlite } from '../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Store } from '../mocks/sandbox/store/store.ts';
import type { Log } from '../mocks/sandbox/telemetry/log.ts';
import { seededChance, systemChance } from '../mocks/sandbox/tools/chance.ts';
import { seededStart, systemClock } from '../mocks/sandbox/tools/clock.ts';
import { given } from '../mocks/sandbox/tools/given.ts';
import { defaultPlatform } from '../mocks/sandbox/worlds/readyMade.ts';
import type { Sandbox, SandboxOptions } from './sandboxTypes.ts';

/** The implementation of `createSandbox`: the same app, store and server that `npm start` runs. */
export async function openInProcess(options: SandboxOptions): Promise<Sandbox> {
  const { allowHosts, allowOrigins } = readAdmission(options.allowHosts ?? [], options.allowOrigins ?? []);
  const { app, store } = await openApp({ ...options, allowOrigins });
  const inFlight = new Set<Promise<Response>>();
  let origin = 'http://localhost';
  let server: Promise<BoundServer> | undefined;
  let closing: Promise<void> | undefined;

  const fetch: Sandbox['fetch'] = async (input, init) => {
    if (closing !== undefined) throw new Error('The sandbox is closed.');
    const request = input instanceof Request ? new Request(input, init) : new Request(addressOf(input, origin), init);
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

  return {
    get url() {
      return origin + basePath;
    },
    fetch,
    async listen({ port = 0, host = 'localhost' } = {}) {
      if (closing !== undefined) throw new Error('The sandbox is closed.');
      if (server !== undefined) throw new Error('The sandbox listens already; url says where.');
      if (!isLoopback(host) && options.controlToken === undefined) {
        throw new Error(`Listening on ${host} lets others in: create the sandbox with a controlToken.`);
      }
      server = putOnPort(app, host, port, { allowHosts });
      const running = await server.catch((error: unknown) => {
        server = undefined;
        throw error;
      });
      origin = running.address;
      return origin + basePath;
    },
    reset: () => steer('/reset'),
    advance: (seconds) => steer('/clock', { advanceSeconds: seconds }),
    close() {
      closing ??= (async () => {
        await Promise.allSettled(inFlight);
        await (await server?.catch(() => undefined))?.stop();
        await store.close();
      })();
      return closing;
    },
  };
}

async function openApp(options: SandboxOptions) {
  const { file, database, seed, frozenAt, proofs, world, controlToken, allowOrigins, onFault } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new TypeError(`A seed is a whole number, not ${seed}.`);
  const standsAt = frozenAt?.getTime() ?? (seed === undefined ? undefined : seededStart);
  if (Number.isNaN(standsAt)) throw new TypeError('frozenAt is not a valid date.');
  const log: Log = { info: () => {}, error: onFault ?? ((line, facts) => console.error(line, facts)) };
  if (file !== undefined && database !== undefined) throw new TypeError('file and database are two places: give one.');
  const store =
    database === undefined
      ? await openSqlite(file ?? ':memory:', { option: 'file' })
      : await openDatabase(database, log);
  try {
    const app = await createApp({
      store,
      clock: systemClock,
      chance: seed === undefined ? systemChance : seededChance(seed),
      log,
      ...given({ frozenAt: standsAt, proofs, world, controlToken, allowOrigins }),
    });
    return { app, store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The driver is loaded only where it is asked for. */
async function openDatabase(url: string, log: Log): Promise<Store> {
  const { openPostgres } = await import('../mocks/sandbox/node/postgres/postgres.ts');
  return openPostgres(url, { log });
}

/** A path stands for an address below the base, or on the control surface. */
function addressOf(input: URL | string, origin: string): URL | string {
  if (typeof input !== 'string' || !input.startsWith('/')) return input;
  return origin + (input.startsWith('/__sandbox/') ? '' : basePath) + input;
}
