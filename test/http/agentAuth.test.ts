/**
 * Promise: an agent's access token opens only the agents' operations, and a platform's token only the others. A client
 * that sends the wrong kind learns which scheme to use (D79). An agent without a permission in its policy is refused
 * wherever the contract requires it (D32).
 */
import { describe, expect, test } from 'vitest';
import { type Operation, operations } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { call, everything, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';
import { everyPermission, openAgent, redeem } from '../support/scenes/agents.ts';

const ofAgents = operations.filter(({ security }) => security === 'bearer');
const ofPlatforms = operations.filter(({ security }) => security === 'basic');
const addressOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, 'none');

async function openConnected() {
  const sandbox = await openSandbox();
  const { body } = await sandbox.send('GET', '/customers?customerType=INDIVIDUAL');
  return { sandbox, agent: await openAgent(sandbox, body.data[0].id) };
}

describe('which credentials an operation takes', () => {
  test.each(ofAgents)('case 32: $id refuses Basic and nothing at all with 401, and names Bearer', async (operation) => {
    const { sandbox } = await openConnected();
    for (const authorization of [null, basic('sandbox', 'sandbox')]) {
      const answer = await sandbox.send(operation.method, addressOf(operation), { authorization });
      expectRefusal(answer, 401, 'UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Countersign"');
    }
  });

  test('case 34: every operation of the platform refuses an access token with 401, and nothing happens', async () => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const before = await everything(sandbox, targets);
    const authorization = `Bearer ${targets.agent.accessToken}`;
    for (const operation of ofPlatforms) {
      const [body] = requestExamples(operation);
      const answer = await sandbox.send(operation.method, pathOf(operation, targets), { authorization, body });
      expectRefusal(answer, 401, 'UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="Countersign", charset="UTF-8"');
    }
    expect(await everything(sandbox, targets)).toEqual(before);
  });

  test('the control surface refuses an access token', async () => {
    const { sandbox, agent } = await openConnected();
    const authorization = `Bearer ${agent.accessToken}`;
    for (const path of ['/clock', '/settings', '/ledger', '/outbox']) {
      expectRefusal(await sandbox.control('GET', path, { authorization }), 401, 'UNAUTHORIZED');
    }
  });

  test('a redemption needs none and takes any', async () => {
    const { sandbox, agent } = await openConnected();
    for (const authorization of [null, 'Bearer nobody', basic('nobody', 'wrong'), 'nonsense']) {
      const { body } = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
      const answer = await sandbox.send('POST', `/agents/device-codes/${body.code}/redeem`, { authorization });
      expect(answer.status).toBe(200);
    }
  });
});

describe('the header', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('case 31: the scheme may be written %s', async (scheme) => {
    const { sandbox, agent } = await openConnected();
    for (const authorization of [`${scheme} ${agent.accessToken}`, ` ${scheme}   ${agent.accessToken} `]) {
      const { status } = await sandbox.send('GET', '/agents/me/actions', { authorization });
      expect(status).toBe(200);
    }
  });

  test.each([
    ['nothing', ''],
    ['the scheme alone', 'Bearer'],
    ['no space', 'BearerX'],
    ['two tokens', 'Bearer a, Bearer b'],
    ['something behind', 'Bearer a b'],
    ['another alphabet', 'Bearer a$b'],
    ['Basic', basic('sandbox', 'sandbox')],
    ['Digest', 'Digest username="sandbox"'],
  ])('%s is 401 without a word about the token', async (_name, authorization) => {
    const { sandbox } = await openConnected();
    const answer = await sandbox.send('GET', '/agents/me', { authorization });
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Countersign"');
    expect(sandbox.log).toEqual([]);
  });

  test.each([
    ['unknown', (token: string) => token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['in capitals', (token: string) => token.toUpperCase()],
    ['longer', (token: string) => `${token}0`],
    ['shorter', (token: string) => token.slice(0, -1)],
    ['without its beginning', (token: string) => token.replace('agent_', '')],
    ['huge', (token: string) => token.repeat(5000)],
  ])('a token that is %s is 401 invalid_token (RFC 6750, 3.1)', async (_name, change) => {
    const { sandbox, agent } = await openConnected();
    const authorization = `Bearer ${change(agent.accessToken)}`;
    const answer = await sandbox.send('GET', '/agents/me', { authorization });
    expect(expectRefusal(answer, 401, 'UNAUTHORIZED').message).not.toContain(agent.accessToken.slice(6, 20));
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Countersign", error="invalid_token"');
  });

  test('a token reaches its own agent, on its own platform', async () => {
    const { sandbox, agent } = await openConnected();
    const other = await openAgent(sandbox, agent.customerId);
    expect((await agent.send('GET', '')).body.id).toBe(agent.id);
    expect((await other.send('GET', '')).body.id).toBe(other.id);
    const { body } = await sandbox.send('POST', `/agents/${other.id}/device-codes`);
    await redeem(sandbox, body.code);
    expectRefusal(await other.send('GET', ''), 401, 'UNAUTHORIZED');
    expect((await agent.send('GET', '')).status).toBe(200);
  });
});

describe('what the policy must permit', () => {
  const asking = ofAgents.filter(({ agentPermission }) => agentPermission !== null);

  test('reading itself, accounts and actions needs nothing, all else something', () => {
    const free = ofAgents.filter(({ agentPermission }) => agentPermission === null).map(({ id }) => id);
    expect(free.sort()).toEqual([
      'getAgentAction',
      'getAgentExternalAccount',
      'getAgentQuote',
      'getCurrentAgent',
      'listAgentActions',
      'listAgentExternalAccounts',
      'listAgentInternalAccounts',
    ]);
  });

  test.each(asking)('$id without $agentPermission is 403, and nothing happens', async (operation) => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    await targets.agent.changePolicy({
      permissions: everyPermission.filter((one) => one !== operation.agentPermission),
    });
    const before = await everything(sandbox, targets);
    const body = bodyOf(operation, targets);
    const answer = await call(sandbox, operation, targets, pathOf(operation, targets), { body });
    expect(expectRefusal(answer, 403, 'FORBIDDEN').message).toContain(operation.agentPermission);
    expect(await everything(sandbox, targets)).toEqual(before);
  });

  test.each(ofAgents)('$id without any permission: 403 if and only if the contract asks for one', async (operation) => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    await targets.agent.changePolicy({ permissions: [] });
    const body = bodyOf(operation, targets);
    const { status } = await call(sandbox, operation, targets, pathOf(operation, targets), { body });
    expect(status === 403).toBe(operation.agentPermission !== null);
    if (operation.agentPermission === null) expect(status).toBe(200);
  });

  /** A body with the agent's own accounts, because other accounts would be 404 first (D32). */
  function bodyOf({ id }: Operation, { agent, accountId, externalAccountId }: Awaited<ReturnType<typeof openTargets>>) {
    const [inside, outside] = [{ accountId }, { accountId: externalAccountId }];
    const bodies: Partial<Record<string, object>> = {
      createAgentTransferOut: { source: inside, destination: outside, amount: 1 },
      createAgentTransferIn: { source: outside, destination: inside, amount: 1 },
      createAgentQuote: {
        source: { sourceType: 'ACCOUNT', ...inside },
        destination: { destinationType: 'ACCOUNT', ...outside },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1_000_000,
      },
      createAgentExternalAccount: {
        customerId: agent.customerId,
        currency: 'USDC',
        accountInfo: { accountType: 'SOLANA_WALLET', address: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' },
      },
    };
    return bodies[id];
  }
});
