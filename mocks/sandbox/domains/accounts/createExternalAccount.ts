import { Problem } from '../../kernel/problem.ts';
import { mustFindLiveCustomer } from '../customers/procedures.ts';
import { operation } from '../operation.ts';
import { externalAccounts, viewExternalAccount } from './records.ts';
import { accountIdentity, checkAccountCurrency, checkBeneficiary, checkDeposit, withRails } from './rules.ts';

/**
 * POST /customers/external-accounts: a bank account, mobile money account or wallet, of a customer or of the platform;
 * ACTIVE at once (D40).
 */
export const createExternalAccount = operation('createExternalAccount', {
  async handle({ body }, unit) {
    const { customerId, currency, defaultUmaDepositAccount = false } = body;
    if (customerId !== undefined) await mustFindLiveCustomer(unit, customerId);
    checkAccountCurrency(currency, body.accountInfo);
    checkDeposit(customerId, defaultUmaDepositAccount);
    const accountInfo = withRails(body.accountInfo);
    const verdict = checkBeneficiary(accountInfo);
    const identity = accountIdentity(customerId, accountInfo);
    const [same] = await externalAccounts.where(unit, 'identity', identity);
    if (same !== undefined) throw new Problem('CONFLICT', `This account is already there, as ${same.id}.`);
    if (defaultUmaDepositAccount && customerId !== undefined) {
      for (const before of await externalAccounts.where(unit, 'deposit_for', customerId)) {
        await externalAccounts.replace(unit, before, { ...before, defaultUmaDepositAccount: false });
      }
    }
    const id = unit.newId('ExternalAccount');
    const account = { ...body, id, defaultUmaDepositAccount, accountInfo, identity, ...verdict };
    return { status: 201, body: viewExternalAccount(await externalAccounts.insert(unit, account)) };
  },
});
