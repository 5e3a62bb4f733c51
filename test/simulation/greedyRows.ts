/** What a greedy platform does: a row for each thing that all platforms of a process share (SECURITY.md). */
import { connect } from 'node:net';
import { listenRaw, openRawSession } from '../support/mcp/raw.ts';
import { byLength } from '../support/run/length.ts';
import { type Answer, basic, must, origin, type SendOptions } from '../support/sandbox/harness.ts';
import type { TestPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { makeToken } from '../support/scenes/tokens.ts';

/** The greedy platform, while it is greedy. */
export interface Greedy {
  readonly platform: TestPlatform;
  readonly port: number;
  /** Its content at first, with thousands of quotes. */
  readonly snapshot: string;
  /** Ends everything that it holds. */
  readonly signal: AbortSignal;
}

export interface Row {
  readonly name: string;
  /** Takes what it can take and holds it. @returns what it then does again and again, several times at once */
  begin(greedy: Greedy): Promise<(number: number) => Promise<unknown>>;
}

/** Asks for more than there is, so that it gets everything. */
const tooMany = { listeners: 40, sessions: 22, subscriptions: 55, streams: 25, calls: 60, sockets: 100 } as const;

/**
 * Beyond its share, it may be told to wait or that something is too large, in our own words. It may never break the
 * sandbox, nor lose a connection.
 */
export function expectOrderly({ status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>): void {
  const mayWait = status === 429 || status === 503;
  if (mayWait ? headers.has('retry-after') : status < 500) return;
  throw new Error(`The greedy platform got ${status} ${JSON.stringify(body)}`);
}

async function ask(send: TestPlatform['send'], method: string, path: string, options?: SendOptions): Promise<Answer> {
  const answer = await send(method, path, options);
  expectOrderly(answer);
  return answer;
}

/** Keeps a reply open and doesn't read it. @returns its status */
async function hold({ platform, signal }: Greedy, path: string, authorization: string): Promise<number> {
  const response = await platform.fetch(new Request(origin + path, { headers: { authorization } }));
  const leave = async (): Promise<void> => response.body?.cancel();
  if (response.status === 200) signal.addEventListener('abort', () => void leave());
  else await leave();
  return response.status;
}

/** A customer with an agent. */
async function beginAgent({ platform }: Greedy) {
  const stage = await openAgentStage(platform);
  return { stage, token: stage.agent.accessToken };
}

const me = 'countersign://agents/me';

export const rows: readonly Row[] = [
  {
    name: 'listens to events as often as it may, and reads none',
    async begin(greedy) {
      const { clientId, clientSecret } = greedy.platform;
      const others = [await makeToken(greedy.platform, ['MANAGE']), await makeToken(greedy.platform, ['MANAGE'])];
      const tokens = [basic(clientId, clientSecret), ...others.map(({ authorization }) => authorization)];
      const held = tokens.flatMap((token) =>
        Array.from({ length: tooMany.listeners }, () => hold(greedy, '/__sandbox/events', token)),
      );
      const statuses = await Promise.all(held);
      const count = (status: number) => statuses.filter((one) => one === status).length;
      if (count(200) !== 64 || count(429) !== held.length - 64) throw new Error(`Listeners got ${statuses}`);
      // Large events, which wait for it.
      const body = { customerType: 'INDIVIDUAL', fullName: 'n'.repeat(byLength(3000, 200_000)) };
      return () => ask(greedy.platform.send, 'POST', '/customers', { body });
    },
  },
  {
    name: 'opens MCP sessions, subscribes to all that it reads, and opens streams',
    async begin(greedy) {
      const { stage, token } = await beginAgent(greedy);
      const uris = Array.from({ length: tooMany.subscriptions }, (_, n) => `${me}/transactions?limit=${n + 1}`);
      for (let number = 0; number < tooMany.streams; number += 1) {
        expectOrderly({
          ...pick(await listenRaw(greedy.platform, token, uris.slice(number, number + 20))),
          body: 'stream',
        });
      }
      for (let number = 0; number < tooMany.sessions; number += 1) await openRawSession(greedy.platform, token);
      return (number) =>
        ask(greedy.platform.send, 'PATCH', `/agents/${stage.agent.id}`, { body: { name: `Agent ${number}` } });
    },
  },
  {
    name: 'makes MCP calls that have no answer yet',
    async begin(greedy) {
      const { token } = await beginAgent(greedy);
      const rules = [{ operation: 'getCurrentAgent', delayMs: 60_000 }];
      must(await greedy.platform.control('PUT', '/faults', { body: { rules } }), 200);
      const session = await openRawSession(greedy.platform, token);
      // A reply begins with its first event, so these don't even have a status yet.
      for (let id = 0; id < tooMany.calls; id += 1) {
        void session.call(id, 'tools/call', { name: 'getCurrentAgent', arguments: {} }).catch(() => {});
      }
      return async (number) => {
        const call = await session.call(tooMany.calls + number, 'tools/list');
        await call.text();
        expectOrderly({ ...pick(call), body: 'call' });
      };
    },
  },
  {
    name: 'fills its journal with large bodies',
    begin: async ({ platform }) => {
      const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'p'.repeat(byLength(150_000, 900_000)) };
      return () => ask(platform.send, 'POST', '/customers', { body });
    },
  },
  {
    name: 'fills the kept replies',
    begin:
      async ({ platform }) =>
      (number) =>
        ask(platform.send, 'GET', `/transactions?limit=${1 + (number % 100)}&sortOrder=${number % 3 ? 'asc' : 'desc'}`),
  },
  {
    name: 'lists what it can list',
    async begin({ platform }) {
      const paths = ['/transactions', '/customers', '/customers/internal-accounts', '/customers/external-accounts'];
      return (number) => ask(platform.send, 'GET', `${paths[number % paths.length]}?limit=100`);
    },
  },
  {
    name: 'takes snapshots',
    begin:
      async ({ platform }) =>
      () =>
        ask(platform.control, 'GET', '/snapshot'),
  },
  {
    name: 'restores snapshots',
    begin:
      async ({ platform, snapshot }) =>
      () =>
        ask(platform.control, 'PUT', '/snapshot', { text: snapshot }),
  },
  {
    name: 'resets itself',
    begin:
      async ({ platform }) =>
      () =>
        ask(platform.control, 'POST', '/reset'),
  },
  {
    name: 'checks its ledger',
    begin:
      async ({ platform }) =>
      () =>
        ask(platform.control, 'GET', '/ledger'),
  },
  {
    name: 'reads its journal',
    async begin({ platform }) {
      const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'p'.repeat(30_000) };
      for (let number = 0; number < 100; number += 1) await ask(platform.send, 'POST', '/customers', { body });
      return (number) => ask(platform.control, 'GET', `/journal?format=${number % 2 ? 'har' : 'entries'}`);
    },
  },
  {
    name: 'lets thousands of changes be due, and moves its clock',
    begin:
      async ({ platform, snapshot }) =>
      async () => {
        await ask(platform.control, 'PUT', '/snapshot', { text: snapshot });
        await ask(platform.control, 'POST', '/clock', { body: { advanceSeconds: 86_400 } });
        await ask(platform.send, 'GET', '/config');
      },
  },
  {
    name: 'opens sockets, and sends half a request on each',
    async begin({ port, signal, platform }) {
      const sockets = Array.from({ length: tooMany.sockets }, () => openSocket(port, signal));
      await Promise.all(sockets);
      return async () => {
        (await openSocket(port, signal)).destroy();
        await ask(platform.send, 'GET', '/config');
      };
    },
  },
];

/** Does all of them at once. */
export const atOnce: Row = {
  name: 'does everything at once',
  async begin(greedy) {
    const acts: Awaited<ReturnType<Row['begin']>>[] = [];
    for (const row of rows) acts.push(await row.begin(greedy).catch(refusedByItself));
    return (number) => (acts[number % acts.length] as (number: number) => Promise<unknown>)(number);
  },
};

/** A reset or another row of its own may take away what a row has made. */
function refusedByItself(error: unknown) {
  return () => Promise.reject(error);
}

function pick({ status, headers }: Response) {
  return { status, headers };
}

async function openSocket(port: number, signal: AbortSignal) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  signal.addEventListener('abort', () => socket.destroy());
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()).once('close', () => resolve()));
  socket.write('POST /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{');
  return socket;
}
