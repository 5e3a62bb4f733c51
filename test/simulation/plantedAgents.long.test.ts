/**
 * Promise: the simulation finds planted faults in agents' actions, and reduces each to the necessary steps.
 * `simulation.test.ts` shows in every run that it finds and reduces faults at all.
 */
import { expect, test } from 'vitest';
import { actions, agents } from '../../mocks/sandbox/domains/agents/records.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { simulate } from './run.ts';

test('an agent whose action is counted twice is found', async () => {
  const counting: typeof handlers.createAgentTransferIn = {
    ...handlers.createAgentTransferIn,
    handle: async (call, unit, prepared) => {
      const reply = await handlers.createAgentTransferIn.handle(call, unit, prepared);
      const agent = await agents.find(unit, call.requester.actorId);
      if (agent === undefined || !('body' in reply && 'status' in reply.body) || reply.body.status !== 'APPROVED')
        return reply;
      const usage = { ...agent.usage, dailyCount: agent.usage.dailyCount + 1 };
      await agents.replace(unit, agent, { ...agent, usage });
      return reply;
    },
  };
  const planted = { ...handlers, createAgentTransferIn: counting };
  const report = await simulate({ seed: 2, steps: 100, ledgerEvery: 100, shrinkMs: 20_000, handlers: planted });
  expect(report.trace.map(({ kind }) => kind)).toEqual(['AGENT_NEW', 'AGENT_IN']);
  expect(report.difference?.what).toMatch(/^the agent of step \d+ has used .*"dailyTransactionCount":2,/);
});

test('an action that is carried out again when it is approved a second time is found', async () => {
  const forgetting: typeof handlers.approveAgentAction = {
    ...handlers.approveAgentAction,
    handle: async (call, unit, prepared) => {
      const action = await actions.find(unit, call.path.actionId);
      if (action?.status === 'APPROVED') await actions.replace(unit, action, { ...action, status: 'PENDING_APPROVAL' });
      return handlers.approveAgentAction.handle(call, unit, prepared);
    },
  };
  const planted = { ...handlers, approveAgentAction: forgetting };
  const report = await simulate({ seed: 2, steps: 100, ledgerEvery: 100, shrinkMs: 20_000, handlers: planted });
  expect(report.trace.map(({ kind }) => kind).at(-1)).toBe('APPROVE');
  expect(report.difference?.what).toMatch(/^answered with 200 .*, expected 409 ACTION_NOT_PENDING$/);
});
