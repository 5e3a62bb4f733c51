import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { externalAccounts, viewExternalAccount } from './records.ts';

/** GET /platform/external-accounts: lists the platform's own external accounts, by currency (D01). */
export const listPlatformExternalAccounts = operation('listPlatformExternalAccounts', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, currency } = query;
    const request = { operation, limit, cursor, filters: { owner: 'PLATFORM', currency } };
    return { status: 200, body: await listPage(unit, externalAccounts, request, viewExternalAccount) };
  },
});
