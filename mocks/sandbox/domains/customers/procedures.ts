import type { Customer, CustomerCreateRequest } from '../../../../generated/types.ts';
import { toHex } from '../../node/machine/bytes.ts';
import { defaultCurrencies } from '../../payments/currencies.ts';
import type { Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { makeUuid } from '../../tools/chance.ts';
import { Problem } from '../../tools/problem.ts';
import type { Received } from '../../tools/received.ts';
import { openAccount, setStatus } from '../accounts/procedures/accounts.ts';
import { type InternalAccountRecord, internalAccounts } from '../accounts/records.ts';
import { endSignIn } from '../auth/procedures.ts';
import { type CredentialRecord, credentials, sessions } from '../auth/records.ts';
import { platformConfig } from '../tokens/procedures.ts';
import { currenciesOnTheWay } from '../transfers/records.ts';
import { beneficialOwners, type CustomerRecord, customers, viewBeneficialOwner, viewCustomer } from './records.ts';
import { checkCurrencies, checkEmptied } from './rules.ts';

/**
 * Creates a customer with one internal account per enabled currency (D23), unless the caller opens the accounts itself.
 * @throws Problem 400 for its currencies, 409 `UMA_ADDRESS_EXISTS`, 409 `CONFLICT` if the platformCustomerId is in use.
 */
export async function openCustomer(
  unit: Unit,
  request: Received<CustomerCreateRequest>,
  { withAccounts = true } = {},
): Promise<Stored<CustomerRecord>> {
  const currencies = request.currencies ?? [...defaultCurrencies];
  checkCurrencies(currencies);
  if (request.umaAddress !== undefined) await requireFreeUmaAddress(unit, request.umaAddress);
  if (request.platformCustomerId !== undefined)
    await mustBeFree(unit, 'platform_customer_id', request.platformCustomerId);
  const settled = {
    id: unit.newId('Customer'),
    platformCustomerId: request.platformCustomerId ?? makeUuid(unit.now(), unit.chance()),
    umaAddress: request.umaAddress ?? (await generateUmaAddress(unit)),
    currencies,
    isDeleted: false,
    createdAt: unit.now(),
    updatedAt: unit.now(),
  };
  const customer = await customers.insert(
    unit,
    request.customerType === 'INDIVIDUAL'
      ? { ...request, ...settled, kycStatus: request.kycStatus ?? 'APPROVED' }
      : { ...request, ...settled, kybStatus: request.kybStatus ?? 'UNVERIFIED' },
  );
  if (withAccounts) for (const currency of currencies) await openAccount(unit, customer.id, currency);
  return customer;
}

/** The maximum number of owners that a business shows (D35). */
const shownOwners = 20;

/** The customer as the contract shows it. A business includes its newest owners. */
export async function showCustomer(unit: Unit, customer: Stored<CustomerRecord>): Promise<Customer> {
  const shown = viewCustomer(customer);
  if (shown.customerType === 'INDIVIDUAL') return shown;
  const filters = { customer_id: customer.id };
  const { records } = await beneficialOwners.page(unit, { limit: shownOwners, before: null, filters });
  return { ...shown, beneficialOwners: records.map(viewBeneficialOwner) };
}

/** @throws Problem 409 if a customer other than `holder` has the value */
async function mustBeFree(
  unit: Unit,
  column: 'uma_address' | 'platform_customer_id',
  value: string,
  holder?: string,
): Promise<void> {
  const wanted = column === 'uma_address' ? value.toLowerCase() : value;
  const holders = await customers.where(unit, column, wanted);
  // The platform's own id becomes free when its customer is deleted. A UMA address never does (D67).
  if (!holders.some(({ id, isDeleted }) => id !== holder && (column === 'uma_address' || !isDeleted))) return;
  throw column === 'uma_address'
    ? new Problem('UMA_ADDRESS_EXISTS', `The UMA address ${value} belongs to another customer.`)
    : new Problem('CONFLICT', `An active customer already has the platformCustomerId ${value}.`);
}

// 80 random bits need no look-up. The unique index would refuse a duplicate.
async function generateUmaAddress(unit: Unit): Promise<string> {
  const { umaDomain } = await platformConfig(unit);
  return `$${toHex(unit.chance().bytes(10))}@${umaDomain}`;
}

/** @throws Problem 409 `UMA_ADDRESS_EXISTS` if a customer other than `holder` has the address */
export function requireFreeUmaAddress(unit: Unit, address: string, holder?: string): Promise<void> {
  return mustBeFree(unit, 'uma_address', address, holder);
}

/** What happens to accounts when a customer's list of currencies is replaced. */
export interface CurrencyPlan {
  readonly close: readonly Stored<InternalAccountRecord>[];
  readonly reopen: readonly Stored<InternalAccountRecord>[];
  readonly open: readonly string[];
}

/**
 * Plans a new list of currencies. A new currency opens an account, or opens its closed account again. A removed
 * currency closes its account. Without a list, all accounts stay unchanged, because a world may have created other
 * accounts.
 * @throws Problem 400 for the list, 409 `CONFLICT` if a removed currency still has money.
 */
export async function planCurrencies(
  unit: Unit,
  customer: CustomerRecord,
  wanted: readonly string[] | undefined,
): Promise<CurrencyPlan> {
  if (wanted === undefined) return { close: [], reopen: [], open: [] };
  checkCurrencies(wanted);
  const accounts = await internalAccounts.where(unit, 'customer_id', customer.id);
  const close = accounts.filter(({ currency, status }) => status !== 'CLOSED' && !wanted.includes(currency));
  checkEmptied(close, close.length === 0 ? [] : await currenciesOnTheWay(unit, customer.id));
  return {
    close,
    reopen: accounts.filter(({ currency, status }) => status === 'CLOSED' && wanted.includes(currency)),
    open: wanted.filter((code) => !accounts.some(({ currency }) => currency === code)),
  };
}

/** Closes an account. If it is a wallet, its sign-in ends too, because a closed wallet can do nothing (D67). */
export async function closeAccount(unit: Unit, account: Stored<InternalAccountRecord>): Promise<void> {
  if (account.type === 'EMBEDDED_WALLET') await endSignIn(unit, account.id);
  if (account.status !== 'CLOSED') await setStatus(unit, account, 'CLOSED');
}

/** Carries out the plan of {@link planCurrencies}. */
export async function replaceCurrencies(unit: Unit, customerId: string, plan: CurrencyPlan): Promise<void> {
  for (const account of plan.close) await closeAccount(unit, account);
  for (const account of plan.reopen) await setStatus(unit, account, 'ACTIVE');
  for (const currency of plan.open) await openAccount(unit, customerId, currency);
}

/** The wallets of a customer, all their credentials, oldest first, and the EMAIL_OTP ones among them. */
export interface Tied {
  readonly wallets: readonly InternalAccountRecord[];
  readonly credentials: readonly Stored<CredentialRecord>[];
  readonly emailOtp: readonly Stored<CredentialRecord>[];
}

export async function findTied(unit: Unit, customerId: string): Promise<Tied> {
  const accounts = await internalAccounts.where(unit, 'customer_id', customerId);
  const wallets = accounts.filter(({ type }) => type === 'EMBEDDED_WALLET');
  const found: Stored<CredentialRecord>[] = [];
  for (const { id } of wallets) found.push(...(await credentials.where(unit, 'account_id', id)));
  found.sort((one, other) => one.sequence - other.sequence);
  return { wallets, credentials: found, emailOtp: found.filter(({ type }) => type === 'EMAIL_OTP') };
}

/** @throws Problem 409 if another customer's EMAIL_OTP credential has the address (D61) */
export async function requireFreeEmail(unit: Unit, email: string | undefined, tied: Tied): Promise<void> {
  if (email === undefined || tied.emailOtp.length === 0) return;
  const same = await credentials.where(unit, 'email', email.toLowerCase());
  if (same.every(({ id }) => tied.emailOtp.some((own) => own.id === id))) return;
  const message = `Another customer has an EMAIL_OTP credential with the address ${email}.`;
  throw new Problem('EMAIL_OTP_EMAIL_ALREADY_EXISTS', message);
}

/**
 * Moves EMAIL_OTP credentials and the nicknames of their sessions to a new address. A pending code ends, because it was
 * sent to the old address (D61). The planted fault simulates a provider that refuses one of them.
 * @throws Problem 424 `EMAIL_OTP_CREDENTIAL_SYNC_FAILED`. The unit then undoes what was moved before.
 */
export async function changeEmail(unit: Unit, tied: readonly Stored<CredentialRecord>[], email: string): Promise<void> {
  for (const [index, credential] of tied.entries()) {
    if (unit.state.faults.emailOtpSync?.failAt === index) {
      const message = `The credential ${credential.id} could not be changed to the new address, so nothing was changed.`;
      throw new Problem('EMAIL_OTP_CREDENTIAL_SYNC_FAILED', message);
    }
    const { code: _ended, ...rest } = credential;
    await credentials.replace(unit, credential, { ...rest, nickname: email, updatedAt: unit.now() });
    for (const session of await sessions.where(unit, 'credential_id', credential.id)) {
      await sessions.replace(unit, session, { ...session, nickname: email });
    }
  }
}

/** The number of a business's owners. */
export async function countOwners(unit: Unit, customerId: string): Promise<number> {
  const { totalCount } = await beneficialOwners.page(unit, {
    limit: 1,
    before: null,
    filters: { customer_id: customerId },
  });
  return totalCount;
}
