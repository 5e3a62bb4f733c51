import type { Contract } from '../../../contract/contract.ts';
import { credit, openAccount } from '../domains/accounts/procedures/accounts.ts';
import { addExternalAccount } from '../domains/accounts/procedures/externalAccounts.ts';
import { issueDeviceCode, openAgent } from '../domains/agents/procedures/agents.ts';
import { openCustomer } from '../domains/customers/procedures.ts';
import { openConfig, storeToken } from '../domains/tokens/procedures.ts';
import { tokens } from '../domains/tokens/records.ts';
import { defaultCurrencies } from '../payments/currencies.ts';
import type { Fill, InitialPlatform, Unit } from '../store/units/unit.ts';
import { Problem, placeBelow } from '../tools/problem.ts';
import type { Received } from '../tools/received.ts';
import { tellExamples } from './examples/story.ts';
import type { World, WorldCustomer } from './shape.ts';
import { isSnapshot, restoreSnapshot, type Snapshot } from './snapshot.ts';

/** The initial state of a platform, for a reset. Only the hash of its token's secret is stored. */
export interface PlatformStart extends InitialPlatform {
  readonly token: { readonly clientId: string; readonly secretHash: string };
  /** The world of the examples is built from the contract each time, so only its name is stored. */
  readonly world: World | Snapshot | 'examples';
}

/** The first token of a platform. */
export type FirstToken = Parameters<typeof storeToken>[1];

/**
 * Gives an empty platform its first token and its world.
 * @throws Problem as for the creation of those customers, with the place in the world.
 */
export function fillPlatform(contract: Contract): Fill<PlatformStart> {
  return (unit, start) => fill(unit, start, contract, issueDeviceCode);
}

/**
 * The same for a platform that is reset. If another platform meanwhile has a device code, it keeps it: an agent without
 * a known code is better than a platform that can't be reset.
 */
export function refillPlatform(contract: Contract): Fill<PlatformStart> {
  return (unit, start) =>
    fill(unit, start, contract, async (_unit, agentId, code) => {
      const issued = await unit.attempt(() => issueDeviceCode(unit, agentId, code));
      if (issued instanceof Problem) await issueDeviceCode(unit, agentId);
    });
}

type IssueCode = (unit: Unit, agentId: string, code: string | undefined) => Promise<unknown>;

async function fill(
  unit: Unit,
  { state, token, world }: PlatformStart,
  contract: Contract,
  issueCode: IssueCode,
): Promise<void> {
  const first: FirstToken = { name: 'First token', permissions: ['VIEW', 'TRANSACT', 'MANAGE'], ...token };
  if (world === 'examples') return tellExamples(unit, contract, first);
  if (isSnapshot(world)) {
    await restoreSnapshot(unit, world, []);
    // The creator of a platform decides how it checks proofs.
    unit.setState({ ...unit.state, proofs: state.proofs });
    if ((await tokens.where(unit, 'client_id', token.clientId)).length === 0) await storeToken(unit, first);
    return;
  }
  await storeToken(unit, first);
  await openConfig(unit);
  for (const [index, customer] of world.customers.entries()) {
    // A world was read as JSON, which has no undefined.
    await addCustomer(unit, `/world/customers/${index}`, customer as Received<WorldCustomer>, issueCode);
    await unit.pause();
  }
}

async function addCustomer(
  unit: Unit,
  place: string,
  world: Received<WorldCustomer>,
  issueCode: IssueCode,
): Promise<void> {
  const customerId = await placing(`${place}/customer`, () => addWithAccounts(unit, world));
  for (const [index, account] of (world.externalAccounts ?? []).entries()) {
    await placing(`${place}/externalAccounts/${index}`, () => addExternalAccount(unit, { ...account, customerId }));
  }
  for (const [index, { deviceCode, ...request }] of (world.agents ?? []).entries()) {
    await placing(`${place}/agents/${index}`, async () => {
      const agent = await openAgent(unit, { ...request, customerId });
      await issueCode(unit, agent.id, deviceCode);
    });
  }
}

async function addWithAccounts(unit: Unit, { customer: request, accounts }: Received<WorldCustomer>): Promise<string> {
  const enabled = request.currencies ?? [...defaultCurrencies];
  const wanted: NonNullable<Received<WorldCustomer>['accounts']> =
    accounts ?? enabled.map((currency) => ({ currency }));
  const currencies = [...new Set([...enabled, ...wanted.map(({ currency }) => currency)])];
  const customer = await openCustomer(unit, { ...request, currencies }, { withAccounts: false });
  for (const { currency, balance = 0 } of wanted) {
    const account = await openAccount(unit, customer.id, currency);
    if (balance > 0) await credit(unit, account, balance);
  }
  return customer.id;
}

/** Adapts the pointer in a refusal: a customer's request is only a part of the world. */
async function placing<T>(pointer: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem ? placeBelow(pointer, error) : error;
  }
}
