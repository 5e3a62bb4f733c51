import type { Contract } from '../../../../contract/contract.ts';
import { agents, hashCode } from '../../domains/agents/records.ts';
import { sha256Hex } from '../../node/machine/crypto.ts';
import type { PlatformState } from '../../store/units/platformState.ts';
import type { Unit, Units } from '../../store/units/unit.ts';
import { given } from '../../tools/given.ts';
import { fillPlatform, type PlatformStart } from '../world.ts';
import { agentTokenOf } from './story.ts';
import { Teller } from './teller.ts';

/** The platform of the reference page. Like those of `sandbox:sandbox`, its credentials aren't secret. */
export const referencePlatform = { id: 'reference', clientId: 'reference', clientSecret: 'reference' } as const;

/** The credentials that the reference page tries requests with. */
export interface PageAccess {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Absent if the agent was connected again, because then only that caller knows the new token. */
  readonly agentToken?: string;
}

/**
 * Creates the platform of the reference page if it doesn't exist yet, with the world of the examples and `magic`
 * proofs.
 */
export async function openReferencePlatform(
  units: Units,
  contract: Contract,
  state: PlatformState,
): Promise<PageAccess> {
  const { id, clientId, clientSecret } = referencePlatform;
  const token = { clientId, secretHash: sha256Hex(clientSecret) };
  const start: PlatformStart = { state: { ...state, proofs: 'magic' }, token, world: 'examples' };
  // Who opens the page changes no name of a later platform, which comes from the count.
  await units.create(id, start, fillPlatform(contract), false);
  return accessTo(units, contract, referencePlatform);
}

/** The same for a platform that already has the world of the examples. */
export async function accessTo(
  units: Units,
  contract: Contract,
  { id, clientId, clientSecret }: Readonly<Record<'id' | 'clientId' | 'clientSecret', string>>,
): Promise<PageAccess> {
  const agentToken = await units.run(id, (unit) => findAgentToken(unit, contract));
  return { clientId, clientSecret, ...given({ agentToken }) };
}

/** The initial access token of the world's agent, if the agent still has it. */
async function findAgentToken(unit: Unit, contract: Contract): Promise<string | undefined> {
  const { agentId, accessToken } = new Teller(unit, contract).shown('redeemAgentDeviceCode', 'connected');
  const agent = await agents.find(unit, agentId);
  return [accessToken, agentTokenOf(unit)].find((token) => hashCode(token) === agent?.tokenHash);
}
