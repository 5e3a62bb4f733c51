/** What somebody with one agent's token did to all others, and what happens now. */
import { expect } from 'vitest';
import { basic, must, type TestSandbox } from '../sandbox/harness.ts';
import { type AgentStage, openAgent, openAgentStage } from '../scenes/agents.ts';
import { connectTo } from './client.ts';
import { openRawSession } from './raw.ts';

/** The control token of the sandboxes that are attacked. */
export const operator = { authorization: 'Bearer operator' };
const accounts = 'countersign://agents/me/internal-accounts';

/** Another platform on the sandbox, with an agent. */
export async function openOther(sandbox: TestSandbox): Promise<{ other: TestSandbox; stage: AgentStage }> {
  const { clientId, clientSecret } = (await sandbox.control('POST', '/platforms', { ...operator, body: {} })).body;
  const authorization = basic(clientId, clientSecret);
  const other: TestSandbox = {
    ...sandbox,
    client: sandbox.as(clientId, clientSecret),
    send: (method, path, options) => sandbox.send(method, path, { authorization, ...options }),
    control: (method, path, options) => sandbox.control(method, path, { authorization, ...options }),
  };
  return { other, stage: await openAgentStage(other) };
}

/** 64 × `/mcp?askAbove=N` and a subscription, all of one token, without a connection: nobody is silenced. */
export async function attackListeners(sandbox: TestSandbox): Promise<void> {
  const { agent } = await openAgentStage(sandbox);
  const { other, stage: victim } = await openOther(sandbox);
  for (let number = 0; number < 64; number += 1) {
    const session = await openRawSession(sandbox, agent.accessToken, `?askAbove=${number}`);
    await session.subscribe(accounts);
  }
  must(await other.control('GET', '/events'), 200);
  must(await sandbox.control('GET', '/events'), 200);
  const { client } = await connectTo(sandbox, victim.agent.accessToken);
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  await client.listen({ resourceSubscriptions: [accounts] });
  await victim.act(100);
  await expect.poll(() => heard).toEqual([accounts]);
}

/** 101 values of `askAbove` with one token: no session of another agent ends. */
export async function attackSessions(sandbox: TestSandbox): Promise<void> {
  const { agent, customerId } = await openAgentStage(sandbox);
  const { stage: elsewhere } = await openOther(sandbox);
  const beside = await openAgent(sandbox, customerId);
  const sessions = [
    await openRawSession(sandbox, beside.accessToken),
    await openRawSession(sandbox, elsewhere.agent.accessToken),
  ];
  for (let number = 0; number < 101; number += 1) {
    await openRawSession(sandbox, agent.accessToken, `?askAbove=${number}`);
  }
  for (const session of sessions) expect((await session.call(1, 'tools/list')).status).toBe(200);
}
