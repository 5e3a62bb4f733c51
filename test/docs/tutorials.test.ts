/** Promise: the snippets of the tutorials, pasted in order, do what the text beside them says. */
import { expect, it } from 'vitest';
import { readGuide, runShell, runTypeScript } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';

const signIn = readGuide('docs/tutorials/sign-in.md');
const sendMoney = readGuide('docs/tutorials/send-money.md');
const realProofs = readGuide('docs/tutorials/real-proofs.md');

it('case 116: walks a wallet from its e-mail sign-in to the last credential that stays, and sends money abroad from it', async () => {
  const output = await runShell(`${signIn.snippets('walk')}\necho sending\n${sendMoney.snippets('send')}`);
  const [walked = '', sent = ''] = output.split('sending\n');
  const lines = walked.trim().split('\n');
  const json = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(lines[0]).toMatch(/^Customer:\S+ has the wallet InternalAccount:\S+$/);
  expect(json[0]).toMatchObject({
    type: 'EMAIL_OTP',
    encryptedSessionSigningKey: expect.stringMatching(/^\w{100,}$/),
  });
  expect(lines.join('\n')).toMatch(/registered AuthMethod:/);
  expect(json[1]).toMatchObject({ type: 'PASSKEY', nickname: 'Laptop', credentialId: 'cGFzc2tleS0x' });
  expect(lines.join('\n')).toMatch(/revoked with 204/);
  expect(json.at(-1)).toMatchObject({ status: 400, code: 'LAST_CREDENTIAL' });

  // At once, refused, and to an account that takes six minutes.
  const [funded, paid, transaction = '', failed, reason, slow, now = '', arrived] = sent.trim().split('\n');
  expect(reason).toBe('QUOTE_EXECUTION_FAILED');
  expect([funded, paid, failed, slow, arrived]).toEqual(['50000000', 'COMPLETED', 'FAILED', 'PROCESSING', 'COMPLETED']);
  expect(JSON.parse(transaction)).toMatchObject({
    status: 'COMPLETED',
    receivedAmount: { amount: 20_000, currency: { code: 'MXN' } },
  });
  expect(Date.parse(now)).toBeGreaterThan(Date.now() + 300_000);
});

it("shows a person the message of an error in place of a field that isn't there", async () => {
  const [begin = ''] = signIn.snippets('walk').split('CUSTOMER=');
  const output = await runShell(`${begin}\n{ call $BASE/customers/Customer:none | pick .id; } 2>&1`);
  expect(output).toMatch(/^[A-Z].*\.\n$/);
  const elsewhere = begin.replace(/ROOT=\S+/, 'ROOT=http://localhost:1');
  expect(await runShell(`${elsewhere}\n{ call $BASE/customers | pick .id || true; } 2>&1`)).toMatch(
    /\nNo reply\. Is ROOT/,
  );
});

it.each(byLength([], ['lets an agent pay: at once, after approval, rejected, and not while it is paused']))(
  '%s',
  async () => {
    const output = await runShell(readGuide('docs/tutorials/agent-pays.md').snippets('agent'));
    const [small, approvals, approved, rejected, seen, paused, me, refused] = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(small).toMatchObject({ status: 'APPROVED', transaction: { status: 'COMPLETED' } });
    expect(approvals.data).toMatchObject([{ status: 'PENDING_APPROVAL', transferDetails: { amount: 25_000 } }]);
    expect(approved).toMatchObject({
      id: approvals.data[0].id,
      status: 'APPROVED',
      transaction: { status: 'COMPLETED' },
    });
    expect(rejected).toMatchObject({ status: 'REJECTED', rejectionReason: 'Not before the invoice was checked.' });
    expect(seen).toEqual(rejected);
    expect(paused.isPaused).toBe(true);
    expect(me.usage).toMatchObject({ dailyTransactionCount: 2, dailySpend: 27_500 });
    expect(refused).toMatchObject({ status: 403, code: 'AGENT_PAUSED' });
  },
);

it.each(byLength([], ['walks a wallet from its e-mail address to an export, in real proofs']))('%s', async () => {
  const output = await runTypeScript(realProofs.snippets('walk'));
  const shown = output.trim().split('\n');
  expect(shown).toEqual(['private: true', 'words: 12']);
  for (const line of shown) expect(realProofs.text).toContain(`\`${line}\``);
});
