import type { CustomerCreateRequest } from '../../../generated/types.ts';
import { credit, openAccount } from '../domains/accounts/procedures.ts';
import { openCustomer } from '../domains/customers/procedures.ts';
import { openConfig, storeToken } from '../domains/tokens/procedures.ts';
import { defaultCurrencies } from '../kernel/currencies.ts';
import { type Fault, invalid, Problem } from '../kernel/problem.ts';
import type { FirstMoment, Unit } from '../store/unit.ts';

/** What a platform begins with: customers as the interface creates them, and their accounts. */
export interface World {
  readonly customers: readonly WorldCustomer[];
}

export interface WorldCustomer {
  readonly customer: CustomerCreateRequest;
  /** Instead of one empty account per currency: these, so that a customer may have several wallets. */
  readonly accounts?: readonly { readonly currency: string; readonly balance?: number }[];
}

/** A platform at its first moment: what it can be brought back to. The secret of its token is kept as a hash only. */
export interface PlatformStart extends FirstMoment {
  readonly token: { readonly clientId: string; readonly secretHash: string };
  readonly world: World;
}

/**
 * Gives an empty platform its first token and its world.
 * @throws Problem as creating those customers would, with the place in the world.
 */
export async function fillPlatform(unit: Unit, { token, world }: PlatformStart): Promise<void> {
  await storeToken(unit, { name: 'First token', permissions: ['VIEW', 'TRANSACT', 'MANAGE'], ...token });
  await openConfig(unit);
  for (const [index, customer] of world.customers.entries()) {
    await placing(`/world/customers/${index}/customer`, () => addCustomer(unit, customer));
  }
}

async function addCustomer(unit: Unit, { customer: request, accounts }: WorldCustomer): Promise<void> {
  const enabled = request.currencies ?? [...defaultCurrencies];
  const wanted: NonNullable<WorldCustomer['accounts']> = accounts ?? enabled.map((currency) => ({ currency }));
  const currencies = [...new Set([...enabled, ...wanted.map(({ currency }) => currency)])];
  const customer = await openCustomer(unit, { ...request, currencies }, { withAccounts: false });
  for (const { currency, balance = 0 } of wanted) {
    const account = await openAccount(unit, customer.id, currency);
    if (balance > 0) await credit(unit, account, balance);
  }
}

/** A refusal speaks of one customer's request, which here is a part of a larger one. */
async function placing(pointer: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const faults = (error.details?.['errors'] ?? []) as readonly Fault[];
    if (faults.length === 0) throw new Problem(error.code, `${error.message} (${pointer})`);
    throw invalid(
      faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })),
      error.code,
    );
  }
}
