/** A sandbox that runs as a process, and stages for agents on it, each on a new platform. */
import { expect } from 'vitest';
import { basic } from '../sandbox/harness.ts';
import { everyPermission } from '../scenes/agents.ts';

export interface StageOverPort {
  readonly agentId: string;
  readonly deviceCode: string;
  /** Holds 1,000.00 USD. */
  readonly accountId: string;
  readonly bankId: string;
  /** The platform's credentials, as `ID:SECRET`. */
  readonly credentials: string;
  /** Sends a request of the platform, which must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an answer
  platform(method: string, path: string, body?: object): Promise<any>;
}

export interface SandboxOverPort {
  readonly origin: string;
  /** Redeems a device code, and returns the access token. */
  redeem(deviceCode: string): Promise<string>;
  /** A platform with a customer, money, a bank account and an agent that isn't connected yet. */
  openStage(proofs: 'magic' | 'real'): Promise<StageOverPort>;
}

const spendingLimits = { currency: 'USD', perTransactionLimit: 50_000, dailyLimit: 60_000 };
const approvalThresholds = { currency: 'USD', amount: 10_000 };

/** @param base the sandbox's base address, with the version */
export function sandboxAt(base: string): SandboxOverPort {
  const { origin } = new URL(base);
  const send = async (address: string, method: string, authorization: string | undefined, body?: object) => {
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const answer = await fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect([address, answer.ok, text]).toEqual([address, true, expect.anything()]);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    origin,
    async redeem(deviceCode) {
      return (await send(`${base}/agents/device-codes/${deviceCode}/redeem`, 'POST', undefined)).accessToken;
    },
    async openStage(proofs) {
      const made = await send(`${origin}/__sandbox/platforms`, 'POST', undefined, { proofs });
      const authorization = basic(made.clientId, made.clientSecret);
      const platform: StageOverPort['platform'] = (method, path, body) =>
        send(base + path, method, authorization, body);
      const customer = await platform('POST', '/customers', { customerType: 'INDIVIDUAL' });
      const accounts = await platform('GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
      const accountId: string = accounts.data[0].id;
      await platform('POST', `/sandbox/internal-accounts/${accountId}/fund`, { amount: 100_000 });
      const bank = await platform('POST', '/customers/external-accounts', {
        customerId: customer.id,
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: '123456777',
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ines Costa' },
        },
      });
      const policy = { permissions: everyPermission, spendingLimits, approvalThresholds };
      const created = await platform('POST', '/agents', { name: 'Bill payer', customerId: customer.id, policy });
      return {
        agentId: created.agent.id,
        deviceCode: created.deviceCode.code,
        accountId,
        bankId: bank.id,
        credentials: `${made.clientId}:${made.clientSecret}`,
        platform,
      };
    },
  };
}
