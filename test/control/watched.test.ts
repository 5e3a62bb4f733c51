/**
 * Promise: a platform that a console, MCP clients and `codes --follow` watch behaves byte for byte like one that nobody
 * watches: the same replies, journal, faults, ids, clock and snapshot.
 */
import { expect, onTestFinished, test } from 'vitest';
import { runCountersign } from '../../cli/main.ts';
import { basePath } from '../../contract/match.ts';
import { connectTo } from '../support/mcp/client.ts';
import { listen } from '../support/process/fetchApp.ts';
import { keepOutput } from '../support/process/inProcess.ts';
import { type Answer, basic, must, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { openWallet } from '../support/scenes/builders.ts';
import { openOwner, quote, transferOut } from '../support/scenes/transfers.ts';

/** What the views of the console read. */
const seen = [
  '/config',
  '/customers?limit=20',
  '/customers/internal-accounts?limit=100',
  '/customers/external-accounts?limit=100',
  '/platform/internal-accounts',
  '/transactions?limit=20',
  '/agents',
  '/agents/approvals',
  '/tokens',
  '/receiver/uma/%24success.usd%40pay.example',
  '/nothing',
];
const steered = ['/journal', '/journal/1', '/faults', '/clock', '/settings', '/due', '/outbox', '/ledger', '/snapshot'];

/** Reads everything, as often as a page that is open does. */
async function look(sandbox: TestSandbox): Promise<void> {
  for (const path of [...seen.map((path) => `/watch${basePath}${path}`), ...steered]) {
    // What isn't there yet is 404.
    expect([200, 404]).toContain((await sandbox.control('GET', path)).status);
  }
  must(await sandbox.control('GET', '/metrics', { authorization: null }));
  const wrong = basic('sandbox', 'wrong');
  must(await sandbox.control('GET', `/watch${basePath}/customers`, { authorization: wrong }), 401);
}

/** Opens what listens: the console's events, an MCP client of each revision, and the command. */
async function watch(sandbox: TestSandbox, accessToken: string): Promise<void> {
  const headers = { authorization: basic('sandbox', 'sandbox') };
  const { body } = await sandbox.fetch(new Request(`${origin}/__sandbox/events`, { headers }));
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const hear = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  void hear();
  onTestFinished(() => reader.cancel());
  const uris = ['', '/internal-accounts', '/actions', '/transactions'].map((path) => `countersign://agents/me${path}`);
  const modern = await connectTo(sandbox, accessToken, { era: '2026' });
  await modern.client.listen({ resourceSubscriptions: uris });
  const legacy = await connectTo(sandbox, accessToken, { era: '2025' });
  for (const uri of uris) await legacy.client.subscribeResource({ uri });
  const server = await listen(sandbox, 'localhost', 0);
  let stop = (_why: string): void => {};
  const lifecycle = {
    commandLine: [],
    takeOver: (how: (why: string) => void) => {
      stop = how;
    },
    tellReady: () => {},
  };
  const { output, written } = keepOutput();
  const ended = runCountersign(['codes', '--follow', '--url', server.address], { output, env: {}, lifecycle });
  onTestFinished(async () => {
    stop('SIGINT');
    await ended;
    await server.stop(0);
  });
  await expect.poll(() => written().stderr, { timeout: 30_000 }).toContain('Waiting for codes');
}

const shown = ({ status, headers, body }: Answer) => ({ status, headers: Object.fromEntries(headers), body });

/** What an app does in a while, with all its replies. */
async function live(isWatched: boolean) {
  const sandbox = await openSandbox({ proofs: 'real', wait: async () => {} });
  const stage = await openAgentStage(sandbox, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
  if (isWatched) await watch(sandbox, stage.agent.accessToken);
  const replies: unknown[] = [];
  const step = async (work: () => Promise<unknown>): Promise<void> => {
    if (isWatched) await look(sandbox);
    replies.push(await work());
  };
  const send = (method: string, path: string, body?: unknown) => async () =>
    shown(await sandbox.send(method, path, body === undefined ? {} : { body }).catch(() => dropped));
  const rules = [
    { operation: 'listCustomers', status: 503, times: 1 },
    { operation: 'listTransactions', drop: 'after', times: 1 },
    { operation: 'getCurrentAgent', status: 500, times: 1 },
    { operation: 'getConfig', delayMs: 5, times: 2 },
  ];
  await step(async () => must(await sandbox.control('PUT', '/faults', { body: { rules } })));
  for (const path of ['/customers?limit=20', '/customers?limit=20', '/transactions?limit=20', '/config', '/nothing']) {
    await step(send('GET', path));
  }
  await step(async () => shown(await stage.agent.send('GET', '')));
  let owner = await openOwner('005', {}, sandbox);
  await step(async () => quote(owner));
  await step(async () => shown(await transferOut(owner)));
  await step(() => stage.act(100));
  await step(() => sandbox.advance(31));
  await step(send('GET', '/transactions?limit=20'));
  await step(async () => quote(owner));
  await step(() => sandbox.advance(3600));
  owner = await openOwner('000', { fullName: 'Grace Hopper' }, sandbox);
  await step(async () => quote(owner));
  const { accountId } = await openWallet(sandbox);
  await step(send('POST', '/auth/credentials', { type: 'EMAIL_OTP', accountId }));
  await step(send('GET', '/receiver/uma/%24success.usd%40pay.example'));
  await step(send('POST', '/customers', {}));
  if (isWatched) await look(sandbox);
  const read = async (path: string) => (await sandbox.control('GET', path)).body;
  const kept = await Promise.all(['/journal', '/snapshot', '/faults', '/clock', '/due', '/outbox'].map(read));
  const { body: refused } = await sandbox.control('GET', '/refused-credentials', { authorization: null });
  return { replies, kept, refused };
}

const dropped = { status: 0, headers: new Headers(), body: undefined };

test('a watched platform and one that nobody watches end in the same bytes', async () => {
  const [watched, other] = [await live(true), await live(false)];
  expect(watched.replies).toEqual(other.replies);
  expect(watched.kept).toEqual(other.kept);
  expect(watched.refused).toEqual(other.refused);
  const [{ data }] = other.kept as [{ data: { operationId: string; response: { status: number } }[] }];
  // The planted faults met the app.
  expect(
    data.filter(({ operationId }) => operationId === 'listCustomers').map(({ response }) => response.status),
  ).toContain(503);
});
