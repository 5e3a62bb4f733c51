/**
 * Promise: an agent on one connection, like stdio, gets notifications of changes in either protocol revision. Over
 * HTTP, if there are too many agents, the least recently used one is closed.
 */
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBundle } from '../../contract/file.ts';
import { createEndpoint, type EndpointBounds } from '../../mcp/http.ts';
import { serveAgent } from '../../mcp/node/local.ts';
import { createRedact } from '../../mcp/redact.ts';
import { createService } from '../../mcp/service.ts';
import { type AgentSession, newMemory } from '../../mcp/session.ts';
import { createShares } from '../../mocks/sandbox/tools/shares.ts';
import { connectClient, type Era, eras } from '../support/mcp/client.ts';
import { baseUrl, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

function sessionOf({ fetch }: TestSandbox, accessToken: string): AgentSession {
  return {
    service: createService({ base: baseUrl, fetch, accessToken }),
    askAbove: 'policy',
    hasPlatform: false,
    redact: createRedact([accessToken]),
    document: async () => readBundle(),
    memory: newMemory(),
  };
}

/** Serves the agent to a client in this process. `beat` is the interval at which it looks for changes. */
async function serve(sandbox: TestSandbox, accessToken: string, era: Era) {
  let look: (() => void) | undefined;
  const [near, far] = InMemoryTransport.createLinkedPair();
  const close = serveAgent(sessionOf(sandbox, accessToken), {
    transport: far,
    pulse: (beat) => {
      look = beat;
      return () => (look = undefined);
    },
    onerror: () => {},
  });
  onTestFinished(close);
  const client = await connectClient(near, { era });
  return { ...client, beat: () => look?.(), isListening: () => look !== undefined };
}

describe.each(eras)('a client of %s on one connection', (era) => {
  it('hears what it asked for, and nothing is looked at before it asks', async () => {
    const sandbox = await openSandbox();
    const stage = await openAgentStage(sandbox, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const { client, call, beat, isListening } = await serve(sandbox, stage.agent.accessToken, era);
    const action = await stage.act(2500);
    expect((await call('getAgentAction', { actionId: action.id })).output.status).toBe('PENDING_APPROVAL');
    expect(isListening()).toBe(false);
    const uri = `countersign://agents/me/actions/${action.id}`;
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
    if (era === '2026') await client.listen({ resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    await stage.answer(action, 'approve');
    beat();
    await expect.poll(() => heard).toEqual([uri]);
    await client.close();
  });
});

describe('an endpoint', () => {
  it('forgets the agent of the platform that was used longest ago, and never one of another platform', async () => {
    const { opened, ask } = await openEndpoint({ agents: { process: 4, platform: 2 }, sessions: 1 });
    for (const accessToken of ['other']) expect((await ask(accessToken, 'second')).status).toBe(400);
    for (const accessToken of ['a', 'b', 'a', 'c', 'a', 'b']) expect((await ask(accessToken)).status).toBe(400);
    expect((await ask('other', 'second')).status).toBe(400);
    expect(opened).toEqual(['other', 'a', 'b', 'c', 'b']);
  });

  it('refuses a further agent if there are too many on all platforms, until some are idle', async () => {
    let now = 0;
    const { ask } = await openEndpoint({ agents: { process: 2, platform: 2 }, sessions: 1 }, () => now);
    expect([(await ask('a', 'first')).status, (await ask('b', 'second')).status]).toEqual([400, 400]);
    const refused = await ask('c', 'third');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    now += 5 * 60_000;
    expect((await ask('c', 'third')).status).toBe(400);
  });
});

async function openEndpoint(bounds: EndpointBounds, now = () => 0) {
  const sandbox = await openSandbox();
  const opened: string[] = [];
  const counted = () => createShares({ process: 10, platform: 10, token: 10 });
  const endpoint = createEndpoint({
    open: ({ accessToken }) => {
      opened.push(accessToken);
      return sessionOf(sandbox, accessToken);
    },
    pulse: () => () => () => {},
    mayStay: async () => true,
    streams: counted(),
    calls: counted(),
    now,
    bounds,
  });
  onTestFinished(() => endpoint.close());
  const ask = (accessToken: string, platformId = 'first') => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = new Request(`${origin}/mcp`, { method: 'POST', headers });
    const parsed = { jsonrpc: '2.0', id: 1, method: 'ping' };
    return endpoint.answer(request, { accessToken, platformId, askAbove: 'policy' }, parsed);
  };
  return { opened, ask };
}
