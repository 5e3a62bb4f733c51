import pg from 'pg';
import { systemStopwatch } from '../../tools/clock.ts';
import { clearInterval, setInterval } from '../machine/timers.ts';

/** How long to wait for a database that doesn't answer, in milliseconds. */
export interface Patience {
  /** For a new connection, including the wait for a free one. */
  readonly connect: number;
  /** How long a connection may be in use before the server is asked whether it is there. */
  readonly silence: number;
  /** How long the server may take to answer that. It is asked twice. */
  readonly answer: number;
  /** How often to look for connections that are in use for long. */
  readonly every: number;
}

/** Together 14 s, the longest time that a request waits for a database that is gone. */
export const usualPatience: Patience = { connect: 7000, silence: 2000, answer: 2000, every: 1000 };

/**
 * Notices a database that is gone without a word, such as a machine without power or a cut network. A connection may be in use
 * for long for a good reason: it waits for a lock, or writes a whole platform. So this opens another connection to the same
 * address. If nothing answers there, the connections in use are ended, and their statements fail.
 */
export class Pulse {
  readonly #pool: pg.Pool;
  readonly #settings: pg.ClientConfig;
  readonly #patience: Patience;
  readonly #gone: () => void;
  /** Since when each connection is in use, or since when it is known that the server is there. */
  readonly #inUse = new Map<pg.PoolClient, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isAsking = false;

  /** @param gone is called before the connections are ended */
  constructor(pool: pg.Pool, settings: pg.ClientConfig, gone: () => void, patience: Patience) {
    this.#pool = pool;
    this.#settings = { ...settings, connectionTimeoutMillis: patience.answer };
    this.#gone = gone;
    this.#patience = patience;
    pool.on('acquire', (client) => this.#inUse.set(client, systemStopwatch()));
    pool.on('release', (_error, client) => this.#inUse.delete(client));
    pool.on('remove', (client) => this.#inUse.delete(client));
    this.#timer = setInterval(() => void this.#look(), patience.every);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const now = systemStopwatch();
    const silent = [...this.#inUse]
      .filter(([, since]) => now - since >= this.#patience.silence)
      .map(([client]) => client);
    if (silent.length === 0 || this.#isAsking || this.#pool.ended) return;
    this.#isAsking = true;
    // Asked twice: if this process itself stood still, the time for the first answer may have passed meanwhile.
    const isThere = (await this.#ask()) || (await this.#ask());
    this.#isAsking = false;
    if (!isThere) this.#gone();
    for (const client of silent) {
      if (!this.#inUse.has(client)) continue;
      if (isThere) this.#inUse.set(client, systemStopwatch());
      else endAtOnce(client);
    }
  }

  /** Whether anything answers at the database's address. A refusal, such as too many connections, is an answer. */
  async #ask(): Promise<boolean> {
    const client = new pg.Client(this.#settings);
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch (error) {
      return error instanceof pg.DatabaseError;
    } finally {
      endAtOnce(client);
    }
  }
}

/** Ends a connection without a farewell, for which nobody may be there. Its statements fail. */
function endAtOnce(client: pg.ClientBase): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } };
  connection.stream.destroy();
}
