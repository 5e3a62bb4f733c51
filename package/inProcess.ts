import { loadContract } from '../contract/file.ts';
import { basePath } from '../contract/match.ts';
import { readAdmission } from '../mocks/admission.ts';
import { createSandbox as createApp } from '../mocks/sandbox/app.ts';
import { type BoundServer, isLoopback } from '../mocks/sandbox/node/listening/bind.ts';
import { listen as putOnPort } from '../mocks/sandbox/node/listening/server.ts';
import { openSqlite } from '../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Store } from '../mocks/sandbox/store/store.ts';
import type { Log } from '../mocks/sandbox/telemetry/log.ts';
import { given } from '../mocks/sandbox/tools/given.ts';
import { embed, readParts, warmUp } from './embedded.ts';
import type { Sandbox, SandboxOptions } from './sandboxTypes.ts';

/** The implementation of `createSandbox`: the same app, store and server that `npm start` runs. */
export async function openInProcess(options: SandboxOptions): Promise<Sandbox> {
  const { allowHosts, allowOrigins } = readAdmission(options.allowHosts ?? [], options.allowOrigins ?? []);
  const { app, store } = await openApp({ ...options, allowOrigins });
  let origin = 'http://localhost';
  let server: Promise<BoundServer> | undefined;
  const { sandbox, isClosing } = embed(app, store, {
    origin: () => origin,
    controlToken: options.controlToken,
    stop: async () => (await server?.catch(() => undefined))?.stop(),
  });
  if (options.warm) await warmUp(loadContract(), sandbox);
  return {
    ...sandbox,
    get url() {
      return origin + basePath;
    },
    async listen({ port = 0, host = 'localhost' } = {}) {
      if (isClosing()) throw new Error('The sandbox is closed.');
      if (server !== undefined) throw new Error('The sandbox already listens. Its address is in url.');
      if (!isLoopback(host) && options.controlToken === undefined) {
        throw new Error(`Other machines can reach ${host}. To listen there, create the sandbox with a controlToken.`);
      }
      server = putOnPort(app, host, port, { allowHosts });
      const running = await server.catch((error: unknown) => {
        server = undefined;
        throw error;
      });
      origin = running.address;
      return origin + basePath;
    },
  };
}

async function openApp(options: SandboxOptions) {
  const { file, database, controlToken, allowOrigins } = options;
  const parts = readParts(options);
  if (file !== undefined && database !== undefined)
    throw new TypeError('file and database name two places for the state: give one.');
  const store =
    database === undefined
      ? await openSqlite(file ?? ':memory:', { option: 'file' })
      : await openDatabase(database, parts.log);
  try {
    return { app: await createApp({ ...parts, store, ...given({ controlToken, allowOrigins }) }), store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Loads the driver only if a database is asked for. */
async function openDatabase(url: string, log: Log): Promise<Store> {
  const { openPostgres } = await import('../mocks/sandbox/node/postgres/postgres.ts');
  return openPostgres(url, { log });
}
