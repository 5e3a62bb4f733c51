import { openSignedRetry, requireSignature } from '../../signedRetry/signedRetry.ts';
import { activeSessions, typeOfWallet } from '../../signedRetry/signers.ts';
import { operation } from '../operation.ts';
import { checkOpenWallet } from './procedures/wallets.ts';
import { internalAccounts, mustFindAccount, viewInternalAccount } from './records.ts';

/** PATCH /internal-accounts/{id}: changes a wallet's privacy, signed by any of its sessions (D15, D62). */
export const updateInternalAccount = operation('updateInternalAccount', {
  async handle(call, unit) {
    const retry = await openSignedRetry(unit, call);
    const account = await mustFindAccount(unit, call.path.id);
    await checkOpenWallet(unit, account);
    const { privateEnabled } = call.body;
    const challenge = await requireSignature(unit, call, retry, {
      accountId: account.id,
      type: await typeOfWallet(unit, account.id),
      action: 'SET_WALLET_PRIVACY',
      parameters: { privateEnabled },
      signers: await activeSessions(unit, account.id),
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    const updated = await internalAccounts.replace(unit, account, {
      ...account,
      privateEnabled,
      updatedAt: unit.now(),
    });
    return { status: 200, body: viewInternalAccount(updated) };
  },
});
