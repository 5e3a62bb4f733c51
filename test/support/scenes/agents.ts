/** Makes connected agents for tests. */
import { expect } from 'vitest';
import type { Agent, AgentAction, AgentPermission, AgentPolicyInput } from '../../../generated/types.ts';
import type { Answer, SendOptions, TestSandbox } from '../sandbox/harness.ts';
import { mustAdd, usdRequest } from './externalAccounts.ts';

export const everyPermission: AgentPermission[] = [
  'VIEW_TRANSACTIONS',
  'CREATE_TRANSFERS',
  'CREATE_QUOTES',
  'EXECUTE_QUOTES',
  'MANAGE_EXTERNAL_ACCOUNTS',
];

/** A policy that permits everything, with limits that a test reaches only on purpose. */
export const widePolicy: AgentPolicyInput = {
  permissions: everyPermission,
  spendingLimits: { currency: 'USD', perTransactionLimit: 100_000_000 },
};

/** An agent with its access token. */
export interface TestAgent {
  readonly id: string;
  readonly customerId: string;
  readonly accessToken: string;
  /** Sends a request with its access token; `path` is relative to `/agents/me`. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** The agent as the platform reads it now. */
  look(): Promise<Agent>;
  /** The platform changes its policy; the request must succeed. */
  changePolicy(update: object): Promise<Agent>;
  /** The platform pauses or resumes it. */
  pause(isPaused: boolean): Promise<void>;
}

/** Makes an agent of a customer and connects it. `policy` adds to {@link widePolicy}. */
export async function openAgent(sandbox: TestSandbox, customerId: string, policy: object = {}): Promise<TestAgent> {
  const body = { name: 'Bill payer', customerId, policy: { ...widePolicy, ...policy } };
  const created = await sandbox.send('POST', '/agents', { body });
  expect([created.status, created.body]).toEqual([201, expect.anything()]);
  const { id } = created.body.agent;
  const accessToken = await redeem(sandbox, created.body.deviceCode.code);
  const authorization = `Bearer ${accessToken}`;
  const ask = async (method: string, path: string, change?: object): Promise<Agent> => {
    const answer = await sandbox.send(method, `/agents/${id}${path}`, change === undefined ? {} : { body: change });
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    return answer.body;
  };
  return {
    id,
    customerId,
    accessToken,
    send: (method, path, options = {}) => sandbox.send(method, `/agents/me${path}`, { authorization, ...options }),
    look: () => ask('GET', ''),
    changePolicy: (update) => ask('PATCH', '/policy', update),
    pause: async (isPaused) => void (await ask('PATCH', '', { isPaused })),
  };
}

/** Redeems a device code and returns the access token. The request must succeed. */
export async function redeem(sandbox: TestSandbox, code: string): Promise<string> {
  const answer = await sandbox.send('POST', `/agents/device-codes/${code}/redeem`, { authorization: null });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body.accessToken;
}

/** A customer with money, a bank account to pay, and a connected agent. */
export interface AgentStage {
  readonly agent: TestAgent;
  readonly customerId: string;
  /** Holds 1,000.00 USD. */
  readonly accountId: string;
  /** A US bank account for which every payment succeeds. */
  readonly bankId: string;
  /** The agent pays out. Returns the answer unchecked. */
  transferOut(amount: number, options?: SendOptions & { destinationId?: string; sourceId?: string }): Promise<Answer>;
  /** The same; the request must succeed. */
  act(amount: number, options?: SendOptions & { destinationId?: string }): Promise<AgentAction>;
  /** The platform approves or rejects an action. */
  answer(action: { readonly id: string }, verdict: 'approve' | 'reject', body?: object): Promise<Answer>;
  /** The account's balance. */
  balance(): Promise<number>;
}

/** Makes all of it on a new customer. `suffix` ends the bank account's number and so selects the outcome. */
export async function openAgentStage(sandbox: TestSandbox, policy: object = {}, suffix = '777'): Promise<AgentStage> {
  const customer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
  expect(customer.status).toBe(201);
  const customerId: string = customer.body.id;
  const accounts = await sandbox.send('GET', `/customers/internal-accounts?customerId=${customerId}&currency=USD`);
  const accountId: string = accounts.body.data[0].id;
  const funded = await sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, {
    body: { amount: 100_000 },
  });
  expect(funded.status).toBe(200);
  const bank = await mustAdd(sandbox, usdRequest(`123456${suffix}`, { customerId }));
  const agent = await openAgent(sandbox, customerId, policy);
  const transferOut: AgentStage['transferOut'] = (amount, { destinationId, sourceId, ...options } = {}) => {
    const body = {
      source: { accountId: sourceId ?? accountId },
      destination: { accountId: destinationId ?? bank.id },
      amount,
    };
    return agent.send('POST', '/transfer-out', { body, ...options });
  };
  return {
    agent,
    customerId,
    accountId,
    bankId: bank.id,
    transferOut,
    async act(amount, options) {
      const answer = await transferOut(amount, options);
      expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
      return answer.body;
    },
    answer: (action, verdict, body) =>
      sandbox.send('POST', `/agents/${agent.id}/actions/${action.id}/${verdict}`, body === undefined ? {} : { body }),
    async balance() {
      const list = await sandbox.send('GET', `/customers/internal-accounts?customerId=${customerId}&currency=USD`);
      return list.body.data[0].balance.amount;
    },
  };
}
