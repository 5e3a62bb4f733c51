import type { AgentCreateRequest, AgentDeviceCode, AgentPolicyUpdateRequest } from '../../../../../generated/types.ts';
import { toHex } from '../../../node/machine/bytes.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { toTimestamp } from '../../../tools/clock.ts';
import { invalidField, Problem } from '../../../tools/problem.ts';
import type { Received } from '../../../tools/received.ts';
import { mustFindOwnAccount } from '../../accounts/records.ts';
import { mustFindLiveCustomer } from '../../customers/records.ts';
import type { Requester } from '../../operation.ts';
import {
  type ActionRecord,
  type AgentRecord,
  actions,
  agents,
  deviceCodes,
  hashCode,
  isCodeTaken,
} from '../records.ts';
import { changedPolicy, checkRedeemable, countAgain, deviceCodeLifetimeMs, freshUsage, newPolicy } from '../rules.ts';

/** @throws Problem 404 `AGENT_NOT_FOUND`. */
export async function mustFindAgent(unit: Unit, id: string): Promise<Stored<AgentRecord>> {
  const agent = await agents.find(unit, id);
  if (agent === undefined) throw new Problem('AGENT_NOT_FOUND', `This platform has no agent ${id}.`);
  return agent;
}

/** The calling agent. @throws Problem 401 if it was deleted after its access token was read */
export async function mustFindSelf(unit: Unit, { actorId }: Requester): Promise<Stored<AgentRecord>> {
  const agent = await agents.find(unit, actorId);
  if (agent === undefined) throw new Problem('UNAUTHORIZED', 'The agent of this access token was deleted.');
  return agent;
}

/**
 * Creates an agent that isn't connected yet.
 * @param at the place of its policy in the request, as a JSON pointer.
 * @throws Problem 404 for the customer, 410, 404 for an account of the policy, 400 for the policy.
 */
export async function openAgent(
  unit: Unit,
  request: Received<AgentCreateRequest>,
  at = '/policy',
): Promise<Stored<AgentRecord>> {
  const { name, customerId } = request;
  await mustFindLiveCustomer(unit, customerId);
  await checkAccounts(unit, customerId, request.policy.accountRestrictions);
  return agents.insert(unit, {
    id: unit.newId('Agent'),
    name,
    customerId,
    isPaused: false,
    policy: newPolicy(request.policy, at),
    usage: freshUsage(unit.now()),
    createdAt: unit.now(),
    updatedAt: unit.now(),
  });
}

/**
 * Checks that the accounts in a policy exist and belong to the customer (D81). @throws Problem 404 `ACCOUNT_NOT_FOUND`
 */
async function checkAccounts(
  unit: Unit,
  customerId: string,
  restrictions: AgentPolicyUpdateRequest['accountRestrictions'] = {},
): Promise<void> {
  const { allowedAccountIds, accountRules = [] } = restrictions;
  for (const id of [...(allowedAccountIds ?? []), ...accountRules.map(({ accountId }) => accountId)]) {
    await mustFindOwnAccount(unit, id, customerId);
  }
}

/**
 * Changes an agent's policy from the next request on. If the currency changes, the usage of the month is counted again
 * (D78).
 * @throws Problem 404 `ACCOUNT_NOT_FOUND`, 400.
 */
export async function changePolicy(
  unit: Unit,
  agent: Stored<AgentRecord>,
  update: Received<AgentPolicyUpdateRequest>,
): Promise<Stored<AgentRecord>> {
  await checkAccounts(unit, agent.customerId, update.accountRestrictions);
  const policy = changedPolicy(agent.policy, update);
  const { currency } = policy.spendingLimits;
  const usage =
    currency === agent.policy.spendingLimits.currency
      ? agent.usage
      : countAgain(await countedThisMonth(unit, agent.id), currency, unit.now());
  return agents.replace(unit, agent, { ...agent, policy, usage, updatedAt: unit.now() });
}

async function countedThisMonth(
  unit: Unit,
  agentId: string,
): Promise<(ActionRecord & { readonly countedAt: number })[]> {
  const now = new Date(unit.now());
  const counted_at = { from: Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) };
  const request = { filters: { agent_id: agentId }, ranges: { counted_at } };
  return (await actions.all(unit, request)).filter(
    (action): action is Stored<ActionRecord> & { countedAt: number } => action.countedAt !== undefined,
  );
}

/**
 * Creates a device code. It replaces the agent's unredeemed code (D34).
 * @param wanted the code itself, if a world defines it; random if absent.
 * @throws Problem 400 if another agent on any platform has that code.
 */
export async function issueDeviceCode(unit: Unit, agentId: string, wanted?: string): Promise<AgentDeviceCode> {
  for (const before of await deviceCodes.where(unit, 'agent_id', agentId)) {
    if (before.ended === undefined) await deviceCodes.replace(unit, before, { ...before, ended: 'replaced' });
  }
  if (wanted !== undefined && (await isCodeTaken(unit, hashCode(wanted)))) {
    throw invalidField('/deviceCode', 'is the code of another agent');
  }
  const code = wanted ?? randomCode(unit);
  const expiresAt = unit.now() + deviceCodeLifetimeMs;
  await deviceCodes.insert(unit, { id: unit.newId('DeviceCode'), agentId, codeHash: hashCode(code), expiresAt });
  return { code, agentId, expiresAt: toTimestamp(expiresAt), redeemed: false };
}

// Leaves out the letters that look like digits.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function randomCode(unit: Unit): string {
  const characters = Array.from(unit.chance().bytes(8), (byte) => alphabet[byte % alphabet.length]);
  return `AGENT-${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** @throws Problem 404 `DEVICE_CODE_NOT_FOUND`. */
export async function mustFindDeviceCode(unit: Unit, code: string) {
  const [found] = await deviceCodes.where(unit, 'code_hash', hashCode(code));
  if (found === undefined)
    throw new Problem('DEVICE_CODE_NOT_FOUND', 'This device code is unknown; ask the platform for a new one.');
  return found;
}

/**
 * Exchanges a device code for an access token of 256 random bits. Only the token's hash is stored. It replaces the
 * earlier token (D34).
 * @throws Problem 404 `DEVICE_CODE_NOT_FOUND`, 400 `DEVICE_CODE_INVALID`.
 */
export async function redeemDeviceCode(
  unit: Unit,
  code: string,
): Promise<{ readonly agent: AgentRecord; readonly accessToken: string }> {
  const found = await mustFindDeviceCode(unit, code);
  checkRedeemable(found, unit.now());
  await deviceCodes.replace(unit, found, { ...found, ended: 'redeemed' });
  const accessToken = `agent_${toHex(unit.chance().bytes(32))}`;
  const agent = await mustFindAgent(unit, found.agentId);
  const connected = { ...agent, tokenHash: hashCode(accessToken), updatedAt: unit.now() };
  return { agent: await agents.replace(unit, agent, connected), accessToken };
}

/** Deletes an agent and its device codes. Actions that wait for approval fail (D81). */
export async function endAgent(unit: Unit, agent: Stored<AgentRecord>): Promise<void> {
  const waiting = await actions.all(unit, { filters: { agent_id: agent.id, status: 'PENDING_APPROVAL' } });
  for (const action of waiting)
    await actions.replace(unit, action, { ...action, status: 'FAILED', updatedAt: unit.now() });
  for (const code of await deviceCodes.where(unit, 'agent_id', agent.id)) await deviceCodes.remove(unit, code);
  await agents.remove(unit, agent);
}
