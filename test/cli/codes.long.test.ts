/**
 * Promise: `countersign codes --follow` as a process prints each code when it is sent, and exits with 0 on a signal.
 */
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../package/sandbox.ts';
import { signIn } from '../../package/testing.ts';
import { run } from '../support/process/process.ts';

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it', async (signal) => {
  const sandbox = await createSandbox({ proofs: 'real' });
  onTestFinished(() => sandbox.close());
  const args = ['--follow', '--url', await sandbox.listen(), '--format', 'json'];
  const { child, exit, waitFor } = run('cli/countersign.mjs codes', args);
  await waitFor(/Waiting for codes/);
  const { wallet } = await signIn(sandbox);
  const [message] = (await sandbox.control.outbox.get()).data;
  expect(message?.accountId).toBe(wallet.id);
  await waitFor(new RegExp(`"code":"${message?.code}"`));
  child.kill(signal);
  expect(await exit).toBe(0);
});
