import { walletPhrase } from '../../kernel/phrase.ts';
import { sealToClient } from '../../kernel/seal.ts';
import {
  activeSessions,
  mustBePrepared,
  mustHaveCredentials,
  onSignedRetry,
  openSignedRetry,
  requireSignature,
} from '../auth/procedures.ts';
import { operation } from '../operation.ts';
import { mustFindAccount } from './procedures/accounts.ts';
import { checkIsWallet } from './rules.ts';

/**
 * POST /internal-accounts/{id}/export: the wallet's recovery phrase, sealed to the client's key (INTERFACE; D15, D24).
 * The phrase of a wallet is the same at every export and is kept nowhere: it follows from the store's key.
 */
export const exportInternalAccount = operation('exportInternalAccount', {
  prepare: (call, moment) =>
    onSignedRetry(call, () => {
      const phrase = walletPhrase(moment.derive(`wallet ${call.path.id}`, 16));
      return sealToClient(new TextEncoder().encode(phrase), call.body.clientPublicKey, moment.chance);
    }),
  async handle(call, unit, sealed: string | undefined) {
    const retry = await openSignedRetry(unit, call);
    const account = await mustFindAccount(unit, call.path.id);
    checkIsWallet(account);
    const [oldest] = await mustHaveCredentials(unit, account.id);
    const challenge = await requireSignature(unit, call, retry, {
      accountId: account.id,
      type: oldest.type,
      action: 'EXPORT_WALLET',
      parameters: { clientPublicKey: call.body.clientPublicKey },
      signers: await activeSessions(unit, account.id),
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    return { status: 200, body: { id: account.id, encryptedWalletCredentials: mustBePrepared(sealed) } };
  },
});
