/** Promise: `/mcp` accepts only an agent's token, binds each session to that token, and ends when the server stops. */
import { describe, expect, it } from 'vitest';
import { connectTo } from '../support/mcp/client.ts';
import { openPort } from '../support/process/server.ts';
import { basic, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const accept = 'application/json, text/event-stream';

function post(
  sandbox: Pick<TestSandbox, 'fetch'>,
  accessToken: string,
  body: unknown,
  headers: Record<string, string> = {},
  query = '',
) {
  return sandbox.fetch(
    new Request(`${origin}/mcp${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', accept, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}

async function openTwo() {
  const sandbox = await openSandbox();
  const { agent, customerId } = await openAgentStage(sandbox);
  const other = await openAgent(sandbox, customerId);
  return { sandbox, agent, other };
}

async function initialized(sandbox: TestSandbox, accessToken: string): Promise<Record<string, string>> {
  const reply = await post(sandbox, accessToken, initialize);
  expect(reply.status).toBe(200);
  await reply.text();
  return { 'mcp-session-id': reply.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
}

describe('who is let in', () => {
  it.each([
    ['nobody', null, 'Bearer realm="Countersign"'],
    ["a platform's token", basic('sandbox', 'sandbox'), 'Bearer realm="Countersign"'],
    ['an unknown token', `Bearer agent_${'0'.repeat(64)}`, 'Bearer realm="Countersign", error="invalid_token"'],
  ])('%s: 401, with any method', async (_name, authorization, challenge) => {
    const sandbox = await openSandbox();
    for (const method of ['GET', 'POST', 'DELETE']) {
      const headers = { accept, ...(authorization === null ? {} : { authorization }) };
      const body = method === 'POST' ? { body: JSON.stringify(initialize) } : {};
      const reply = await sandbox.fetch(new Request(`${origin}/mcp`, { method, headers, ...body }));
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, challenge]);
      expect(await reply.json()).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    }
  });

  it('an ended token is refused, and so is its session', async () => {
    const { sandbox, agent } = await openTwo();
    const session = await initialized(sandbox, agent.accessToken);
    expect((await sandbox.send('DELETE', `/agents/${agent.id}`)).status).toBe(204);
    expect((await post(sandbox, agent.accessToken, list, session)).status).toBe(401);
  });

  it("the port's guard refuses a page on another origin and another host", async () => {
    const { sandbox, agent } = await openTwo();
    const port = await openPort(sandbox);
    const head = ['Content-Length: 2', `Authorization: Bearer ${agent.accessToken}`];
    const ask = async (line: string, ...headers: string[]) => {
      const lines = [line, 'Connection: close', ...head, ...headers];
      return port.exchange(`${lines.join('\r\n')}\r\n\r\n{}`);
    };
    expect((await ask('POST /mcp HTTP/1.1', 'Host: localhost', 'Origin: https://evil.example')).body.code).toBe(
      'NOT_ADMITTED',
    );
    expect((await ask('GET /mcp HTTP/1.1', 'Host: evil.example')).body.code).toBe('NOT_ADMITTED');
    expect((await ask('POST /mcp HTTP/1.1', 'Host: localhost', 'Origin: http://localhost:3000')).status).not.toBe(403);
  });
});

describe('a session', () => {
  it("is bound to its token: with another token it doesn't exist", async () => {
    const { sandbox, agent, other } = await openTwo();
    const session = await initialized(sandbox, agent.accessToken);
    const own = await post(sandbox, agent.accessToken, list, session);
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('createAgentTransferOut')]);
    const stolen = await post(sandbox, other.accessToken, list, session);
    const unknown = await post(sandbox, other.accessToken, list, { 'mcp-session-id': 'nothing' });
    expect([stolen.status, await stolen.json()]).toEqual([unknown.status, await unknown.json()]);
    expect(stolen.status).toBe(404);
  });

  it('ends when its client ends it', async () => {
    const { sandbox, agent } = await openTwo();
    const session = await initialized(sandbox, agent.accessToken);
    const headers = { ...session, authorization: `Bearer ${agent.accessToken}` };
    expect((await sandbox.fetch(new Request(`${origin}/mcp`, { method: 'DELETE', headers }))).status).toBe(200);
    expect((await post(sandbox, agent.accessToken, list, session)).status).toBe(404);
  });

  it('ends for a new one if the agent already has twenty', async () => {
    const { sandbox, agent } = await openTwo();
    const first = await initialized(sandbox, agent.accessToken);
    const second = await initialized(sandbox, agent.accessToken);
    for (let more = 0; more < 19; more += 1) await initialized(sandbox, agent.accessToken);
    expect((await post(sandbox, agent.accessToken, list, first)).status).toBe(404);
    expect((await post(sandbox, agent.accessToken, list, second)).status).toBe(200);
  });

  it('is needed by a client of 2025 for all but its first request', async () => {
    const { sandbox, agent } = await openTwo();
    const reply = await post(sandbox, agent.accessToken, list);
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('Initialize') } },
    ]);
  });
});

describe("what isn't a message", () => {
  it.each([
    ['no JSON', '{', 400],
    ['nothing', '', 400],
    ['a number', '7', 400],
    ['an empty list', '[]', 400],
    ['null', 'null', 400],
    ['an invalid message', '{"jsonrpc":"1.0"}', 400],
    ['too much', `"${'x'.repeat(1024 * 1024)}"`, 413],
    ['too deep', '['.repeat(100) + ']'.repeat(100), 400],
  ])('%s: %s', async (_name, text, status) => {
    const { sandbox, agent } = await openTwo();
    const reply = await post(sandbox, agent.accessToken, text);
    expect([reply.status, await reply.json()]).toEqual([status, expect.anything()]);
    expect(sandbox.log).toEqual([]);
  });

  it.each([
    ['another media type', { 'content-type': 'text/plain' }, 415],
    ['a client that takes no answer of ours', { accept: 'text/html' }, 406],
    ['an unknown revision', { 'mcp-protocol-version': '1999-01-01' }, 400],
  ])('%s: %i', async (_name, headers, status) => {
    const { sandbox, agent } = await openTwo();
    const session = await initialized(sandbox, agent.accessToken);
    expect((await post(sandbox, agent.accessToken, list, { ...session, ...headers })).status).toBe(status);
  });

  it.each(['?askAbove=-1', '?askAbove=', '?askAbove=1e3'])('%s: 400', async (query) => {
    const { sandbox, agent } = await openTwo();
    expect((await post(sandbox, agent.accessToken, initialize, {}, query)).status).toBe(400);
  });

  it('other methods: 405, HEAD too, which has no body to say anything with', async () => {
    const sandbox = await openSandbox();
    for (const method of ['HEAD', 'PUT', 'PATCH']) {
      const reply = await sandbox.fetch(new Request(`${origin}/mcp`, { method }));
      expect([method, reply.status, reply.headers.get('allow')]).toEqual([
        method,
        405,
        expect.stringContaining('POST'),
      ]);
    }
  });
});

describe('a server that stops', () => {
  it('ends the streams of both revisions without waiting', async () => {
    const { sandbox, agent } = await openTwo();
    const legacy = await connectTo(sandbox, agent.accessToken, { era: '2025' });
    await legacy.client.subscribeResource({ uri: 'countersign://agents/me' });
    const modern = await connectTo(sandbox, agent.accessToken, { era: '2026' });
    const subscription = await modern.client.listen({ resourceSubscriptions: ['countersign://agents/me'] });
    sandbox.onPort.endStreams?.();
    await subscription.closed;
  });

  it('lets a page read the id of its session', async () => {
    const { sandbox, agent } = await openTwo();
    const reply = await post(sandbox, agent.accessToken, initialize, { origin: 'http://localhost:3000' });
    expect(reply.headers.get('access-control-expose-headers')).toMatch(/Idempotency-Replayed.*, Mcp-Session-Id$/);
  });
});
