import { operation } from '../operation.ts';
import { addExternalAccount } from './procedures/externalAccounts.ts';
import { viewExternalAccount } from './records.ts';

/** POST /customers/external-accounts: adds an account of a customer or of the platform (D40). */
export const createExternalAccount = operation('createExternalAccount', {
  async handle({ body }, unit) {
    return { status: 201, body: viewExternalAccount(await addExternalAccount(unit, body)) };
  },
});
