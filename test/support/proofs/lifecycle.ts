/** Wallets in every state of their credentials and sessions, with both kinds of proofs. */
import type { AuthMethod, AuthMethodType } from '../../../generated/types.ts';
import { byLength } from '../run/length.ts';
import type { Answer } from '../sandbox/harness.ts';
import { openWallet, walletState } from '../scenes/builders.ts';
import { type Kind, openProver, registerBy, signBy, signInBy } from './prover.ts';

const types: readonly AuthMethodType[] = ['EMAIL_OTP', 'OAUTH', 'PASSKEY'];
const everyCase = (['magic', 'real'] as const).flatMap((kind) => types.map((type) => ({ kind, type })));
/** Every type of credential: with both kinds of proofs in the long run, with one of them in `npm test`. */
export const cases = byLength(
  everyCase.filter(({ kind, type }) => (kind === 'magic') === (type === 'EMAIL_OTP')),
  everyCase,
);

/** A wallet without credentials, and functions that count its credentials and sessions. */
export async function openEmpty(kind: Kind) {
  const prover = await openProver(kind);
  const { sandbox } = prover;
  const { accountId } = await openWallet(sandbox);
  const send = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    sandbox.send('POST', '/auth/credentials', { body, headers });
  const state = () => walletState(sandbox, accountId);
  const count = async () => {
    const { credentials, sessions } = await state();
    return { credentials: credentials.length, sessions: sessions.length };
  };
  return { prover, sandbox, accountId, send, state, count };
}

/** A wallet with one credential of each type. The first, of `type`, has a session. */
export async function openFull({ kind, type }: { readonly kind: Kind; readonly type: AuthMethodType }) {
  const wallet = await openEmpty(kind);
  const { prover, accountId } = wallet;
  const credential = await registerBy(prover, type, accountId);
  const signedIn = await signInBy(prover, credential);
  const others: AuthMethod[] = [];
  for (const other of types.filter((one) => one !== type)) {
    others.push(await registerBy(prover, other, accountId, { by: signedIn }));
  }
  const [other] = others as [AuthMethod];
  const endSession = () => signBy(prover, signedIn, 'DELETE', `/auth/sessions/${signedIn.session.id}`);
  const endCredential = async () => {
    const by = await signInBy(prover, other);
    return { by, answer: await signBy(prover, by, 'DELETE', `/auth/credentials/${credential.id}`) };
  };
  return { ...wallet, credential, signedIn, other, endSession, endCredential };
}

export type Full = Awaited<ReturnType<typeof openFull>>;
