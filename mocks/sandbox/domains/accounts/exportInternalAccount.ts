import { walletPhrase } from '../../payments/phrase.ts';
import { sealToClient } from '../../proofs/seal.ts';
import { onSignedRetry, openSignedRetry, requirePrepared, requireSignature } from '../../signedRetry/signedRetry.ts';
import { activeSessions, typeOfWallet } from '../../signedRetry/signers.ts';
import { operation } from '../operation.ts';
import { checkOpenWallet } from './procedures/wallets.ts';
import { mustFindAccount } from './records.ts';

/**
 * POST /internal-accounts/{id}/export: returns the wallet's recovery phrase, sealed to the client's key (D15, D24). A
 * wallet's phrase is the same at every export. It isn't stored, because it is derived from the store's key.
 */
export const exportInternalAccount = operation('exportInternalAccount', {
  prepare: (call, preparation) =>
    onSignedRetry(call, () => {
      const phrase = walletPhrase(preparation.derive(`wallet ${call.path.id}`, 16));
      return sealToClient(new TextEncoder().encode(phrase), call.body.clientPublicKey, preparation.chance);
    }),
  async handle(call, unit, sealed: string | undefined) {
    const retry = await openSignedRetry(unit, call);
    const account = await mustFindAccount(unit, call.path.id);
    await checkOpenWallet(unit, account);
    const challenge = await requireSignature(unit, call, retry, {
      accountId: account.id,
      type: await typeOfWallet(unit, account.id),
      action: 'EXPORT_WALLET',
      parameters: { clientPublicKey: call.body.clientPublicKey },
      signers: await activeSessions(unit, account.id),
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    return { status: 200, body: { id: account.id, encryptedWalletCredentials: requirePrepared(sealed) } };
  },
});
