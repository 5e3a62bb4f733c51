import type { CustomerCreateRequest } from '../../../../generated/types.ts';
import { makeUuid } from '../../kernel/chance.ts';
import { defaultCurrencies } from '../../kernel/currencies.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Stored } from '../../store/table.ts';
import type { Unit } from '../../store/unit.ts';
import { openAccount } from '../accounts/procedures.ts';
import { type CustomerRecord, customers } from './records.ts';
import { checkCurrencies } from './rules.ts';

/**
 * Creates a customer with one internal account per enabled currency (D23).
 * @throws Problem 400 for its currencies, 409 `UMA_ADDRESS_EXISTS`, 409 `CONFLICT` for a platformCustomerId in use.
 */
export async function openCustomer(unit: Unit, request: CustomerCreateRequest): Promise<Stored<CustomerRecord>> {
  const currencies = request.currencies ?? [...defaultCurrencies];
  checkCurrencies(currencies);
  if (request.umaAddress !== undefined) await mustBeFree(unit, 'uma_address', request.umaAddress);
  if (request.platformCustomerId !== undefined)
    await mustBeFree(unit, 'platform_customer_id', request.platformCustomerId);
  const settled = {
    id: unit.newId('Customer'),
    platformCustomerId: request.platformCustomerId ?? makeUuid(unit.now, unit.chance),
    umaAddress: request.umaAddress ?? generateUmaAddress(unit),
    currencies,
    isDeleted: false,
    createdAt: unit.now,
    updatedAt: unit.now,
  };
  const customer = await customers.insert(
    unit,
    request.customerType === 'INDIVIDUAL'
      ? { ...request, ...settled, kycStatus: request.kycStatus ?? 'APPROVED' }
      : { ...request, ...settled, kybStatus: request.kybStatus ?? 'UNVERIFIED' },
  );
  for (const currency of currencies) await openAccount(unit, customer.id, currency);
  return customer;
}

/** @throws Problem 404 `USER_NOT_FOUND`. */
export async function mustFindCustomer(unit: Unit, id: string): Promise<Stored<CustomerRecord>> {
  const customer = await customers.find(unit, id);
  if (customer === undefined) throw new Problem('USER_NOT_FOUND', `This platform has no customer ${id}.`);
  return customer;
}

async function mustBeFree(unit: Unit, column: 'uma_address' | 'platform_customer_id', value: string): Promise<void> {
  const wanted = column === 'uma_address' ? value.toLowerCase() : value;
  const [taken] = await customers.where(unit, column, wanted);
  if (taken === undefined) return;
  throw column === 'uma_address'
    ? new Problem('UMA_ADDRESS_EXISTS', `The UMA address ${value} belongs to another customer.`)
    : new Problem('CONFLICT', `An active customer already has the platformCustomerId ${value}.`);
}

// 80 random bits: no look-up needed, the unique index stands behind it. `.example` is reserved (RFC 2606).
function generateUmaAddress(unit: Unit): string {
  return `$${Buffer.from(unit.chance.bytes(10)).toString('hex')}@countersign.example`;
}
