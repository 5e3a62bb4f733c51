/**
 * Promise: what one agent opens at `/mcp` takes nothing from another. Each agent and each platform has its share, reads
 * are shared and end with what asked for them, and a cancelled call ends (SECURITY.md, "What is shared").
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { attackListeners, attackSessions, openOther, operator } from '../support/mcp/attacks.ts';
import { connectTo } from '../support/mcp/client.ts';
import { listenRaw, openRawSession } from '../support/mcp/raw.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';

const me = 'countersign://agents/me';
const accounts = `${me}/internal-accounts`;

/** Lets other machines in, like `--host 0.0.0.0`, so that operators need the control token. */
const beyond = { controlToken: 'operator' };
/** A platform, its agent, and how often the sandbox has read for watchers. */
async function open(parts: Parameters<typeof openSandbox>[0] = {}) {
  const sandbox = await openSandbox({ ...beyond, ...parts });
  const stage = await openAgentStage(sandbox);
  return { sandbox, stage, token: stage.agent.accessToken };
}

async function readsOf(sandbox: TestSandbox): Promise<number> {
  const { body } = await sandbox.control('GET', '/metrics', operator);
  const counts = [...body.matchAll(/requests_total\{operation="GET \/__sandbox\/watch"[^}]*\} (\d+)/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Waits until a listener of another agent of the platform has heard of a change, so that all reads for it are done. */
async function openFence(sandbox: TestSandbox, customerId: string) {
  const agent = await openAgent(sandbox, customerId);
  const fence = await connectTo(sandbox, agent.accessToken);
  let heard = 0;
  fence.client.setNotificationHandler('notifications/resources/updated', () => {
    heard += 1;
  });
  await fence.client.listen({ resourceSubscriptions: [me] });
  return async (): Promise<void> => {
    const before = heard;
    must(await sandbox.send('PATCH', `/agents/${agent.id}`, { body: { name: `Fence ${before}` } }));
    await expect.poll(() => heard).toBe(before + 1);
  };
}

describe('an attack', () => {
  it('of 64 × /mcp?askAbove=N with a subscription of one token, without a connection, silences nobody', async () => {
    await attackListeners(await openSandbox(beyond));
  });

  it('of 101 values of askAbove with one token ends no session of another agent', async () => {
    await attackSessions(await openSandbox(beyond));
  });
});

describe('reads', () => {
  it('are made once for each address of an agent, whichever sessions subscribe, and of nothing else', async () => {
    const { sandbox, stage, token } = await open();
    const uris = [me, accounts, `${me}/transactions?limit=1`];
    for (let number = 0; number < 10; number += 1) {
      const { client } = await connectTo(sandbox, token, { era: '2025', query: `?askAbove=${number}` });
      for (const uri of uris) await client.subscribeResource({ uri });
    }
    const listener = await connectTo(sandbox, token);
    await listener.client.listen({ resourceSubscriptions: uris });
    expect(await readsOf(sandbox)).toBe(uris.length);
    for (const count of [2, 3]) {
      await stage.act(100);
      await expect.poll(() => readsOf(sandbox)).toBe(count * uris.length);
    }
    const { data } = (await sandbox.control('GET', '/journal')).body;
    expect(data.filter(({ operationId }: { operationId: string }) => operationId === 'getCurrentAgent')).toEqual([]);
  });

  it('stop when a client of 2025 closes its stream, though it sends no DELETE, and go on when it listens again', async () => {
    const { sandbox, stage, token } = await open();
    const fence = await openFence(sandbox, stage.customerId);
    const session = await openRawSession(sandbox, token);
    const stream = await session.listen();
    await session.subscribe(accounts);
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await stage.act(100);
    expect(new TextDecoder().decode((await reader.read()).value)).toContain(accounts);
    await reader.cancel();
    await fence();
    const before = await readsOf(sandbox);
    await fence();
    const ofFence = (await readsOf(sandbox)) - before;
    await stage.act(100);
    await fence();
    // Two changes, and nobody but the other agent listens.
    expect((await readsOf(sandbox)) - before - ofFence).toBeLessThanOrEqual(2 * ofFence);
    const again = ((await session.listen()).body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await again.read()).value)).toContain(accounts);
    await again.cancel();
  });

  it('stop after five minutes in which a client that listens to nothing has asked nothing', async () => {
    let now = 0;
    const { sandbox, stage, token } = await open({ stopwatch: () => now });
    const session = await openRawSession(sandbox, token);
    await session.subscribe(accounts);
    await stage.act(100);
    await expect.poll(() => readsOf(sandbox)).toBe(2);
    now += 5 * 60_000;
    const fence = await openFence(sandbox, stage.customerId);
    await fence();
    const before = await readsOf(sandbox);
    await fence();
    expect((await readsOf(sandbox)) - before).toBe(1);
  });

  it.each(['agent', 'platform'])('stop when the %s is deleted, and so does the stream', async (what) => {
    const { sandbox } = await open();
    const { other, stage } = await openOther(sandbox);
    const { body } = await listenRaw(sandbox, stage.agent.accessToken, [accounts]);
    const text = new Response(body).text();
    if (what === 'agent') must(await other.send('DELETE', `/agents/${stage.agent.id}`));
    else must(await other.control('DELETE', '/platform'));
    expect(await text).toContain('subscriptions/acknowledged');
  });

  it('have a limit for each session, and an unknown address is refused', async () => {
    const { sandbox, token } = await open();
    const session = await openRawSession(sandbox, token);
    for (let number = 1; number <= 50; number += 1) await session.subscribe(`${me}/transactions?limit=${number}`);
    const refused = await session.call(1, 'resources/subscribe', { uri: me });
    expect(await refused.text()).toContain('50 resources at most');
    const unknown = await (await openRawSession(sandbox, token)).call(1, 'resources/subscribe', {
      uri: `${me}/nothing`,
    });
    expect(await unknown.text()).toContain('error');
    // Four sessions of fifty are all that one agent's clients watch together.
    const more = Array.from({ length: 151 }, (_, index) => `${me}/actions?limit=${(index % 100) + 1}&after=${index}`);
    const tooMany = await listenRaw(sandbox, token, more);
    expect([tooMany.status, await tooMany.text()]).toEqual([400, expect.any(String)]);
  });
});

describe('streams', () => {
  it('have a share for each agent: one more gets 429, and one that ends makes room', async () => {
    const { sandbox, stage, token } = await open();
    const beside = await openAgent(sandbox, stage.customerId);
    const opened: Response[] = [];
    for (let number = 0; number < 20; number += 1) opened.push(await listenRaw(sandbox, token, [me]));
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await listenRaw(sandbox, token, [me]);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.text()).toContain('This token has too many');
    const another = await listenRaw(sandbox, beside.accessToken, [me]);
    expect(another.status).toBe(200);
    await opened[0]?.body?.cancel();
    opened.push(another, await listenRaw(sandbox, token, [me]));
    expect(opened.at(-1)?.status).toBe(200);
    sandbox.onPort.endStreams?.();
  });
});

describe('a call', () => {
  /** A sandbox whose reads of the agent never get an answer. */
  async function openStuck() {
    const opened = await open({ wait: () => new Promise(() => {}) });
    const rules = [{ operation: 'getCurrentAgent', delayMs: 60_000 }];
    must(await opened.sandbox.control('PUT', '/faults', { body: { rules } }));
    onTestFinished(() => opened.sandbox.onPort.endStreams?.());
    return { ...opened, session: await openRawSession(opened.sandbox, opened.token) };
  }
  const stuck = { name: 'getCurrentAgent', arguments: {} };

  it('that is cancelled at the moment of its beginning ends', async () => {
    const { session } = await openStuck();
    const texts = Array.from({ length: 20 }, async (_, id) => {
      const [call] = await Promise.all([session.call(id, 'tools/call', stuck), session.cancel(id)]);
      return call.text();
    });
    for (const text of await Promise.all(texts)) expect(text).toContain('The client has cancelled this call.');
  });

  it('has an id of its own while it is open', async () => {
    const { session } = await openStuck();
    const first = await session.call(7, 'tools/call', stuck);
    for (const again of [await session.call(7, 'tools/call', stuck), await session.call(7, 'ping')]) {
      expect([again.status, await again.json()]).toMatchObject([400, { id: 7, error: { code: -32600 } }]);
    }
    const twice = { jsonrpc: '2.0', id: 8, method: 'ping' };
    expect((await session.post([twice, twice])).status).toBe(400);
    expect((await session.call('7', 'ping')).status).toBe(200);
    must(await session.cancel(7), 202);
    expect(await first.text()).toContain('cancelled');
    expect((await session.call(7, 'ping')).status).toBe(200);
  });

  it('beyond the share of the agent gets 429, which takes nothing from another agent', async () => {
    const { sandbox, stage, session } = await openStuck();
    const beside = await openRawSession(sandbox, (await openAgent(sandbox, stage.customerId)).accessToken);
    const calls: Response[] = [];
    for (let id = 0; id < 50; id += 1) calls.push(await session.call(id, 'tools/call', stuck));
    const refused = await session.call(50, 'ping');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await beside.call(1, 'ping')).status).toBe(200);
    must(await session.cancel(0), 202);
    expect(await calls[0]?.text()).toContain('cancelled');
    expect((await session.call(50, 'ping')).status).toBe(200);
  });
});

it('a message that cancels nothing is taken', async () => {
  const { sandbox, token } = await open();
  const session = await openRawSession(sandbox, token);
  must(await session.cancel('nothing'), 202);
});
