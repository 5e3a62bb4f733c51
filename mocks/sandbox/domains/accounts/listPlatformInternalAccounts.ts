import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { internalAccounts, viewInternalAccount } from './records.ts';

/** GET /platform/internal-accounts: lists the platform's own internal accounts, by currency and type. */
export const listPlatformInternalAccounts = operation('listPlatformInternalAccounts', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, currency, type } = query;
    const request = { operation, limit, cursor, filters: { owner: 'PLATFORM', currency, type } };
    return { status: 200, body: await listPage(unit, internalAccounts, request, viewInternalAccount) };
  },
});
