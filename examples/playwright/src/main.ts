import type { Signer } from 'countersign/client';
import { hide, register, signIn } from './wallet.ts';

let signer: Signer | undefined;

const actions: Readonly<Record<string, () => Promise<string>>> = {
  async register() {
    await register();
    return 'The passkey is registered.';
  },
  async 'sign-in'() {
    signer = await signIn();
    return 'You are signed in.';
  },
  async hide() {
    if (signer === undefined) return 'Sign in first.';
    return (await hide(signer)) ? 'The wallet is private.' : 'The wallet is public.';
  },
};

const status = document.querySelector('[role=status]') as HTMLElement;
for (const [id, run] of Object.entries(actions)) {
  document.getElementById(id)?.addEventListener('click', async () => {
    status.textContent = '…';
    status.textContent = await run().catch((error: unknown) => String(error));
  });
}
