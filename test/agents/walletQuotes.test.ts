/**
 * Promise: an agent moves money out of a wallet only with its owner's signature, with either kind of proofs. The
 * signature is checked when the agent submits the action, and stays valid until the approval, whatever happens to the
 * session (D17, D33, D72).
 */
import { describe, expect, test } from 'vitest';
import type { Quote } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { type Kind, openProver, openSignedIn, signBy } from '../support/proofs/prover.ts';
import { wrongSignature } from '../support/proofs/signedRetries.ts';
import { expectReplay, key } from '../support/requests/idempotency.ts';
import type { Answer } from '../support/sandbox/harness.ts';
import { actionsOf, agentQuote, executeAs, mustExecuteAs, used } from '../support/scenes/agentOperations.ts';
import { openAgent } from '../support/scenes/agents.ts';
import { bankAccount, books, fromAccount, fund, readQuote, toAccount } from '../support/scenes/payments.ts';

const waits = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

/** A signed-in wallet with 5 000 000 units, an agent of its customer, and a quote of 1 000 000 to a bank account. */
async function open(kind: Kind, policy: object = {}) {
  const prover = await openProver(kind);
  const { sandbox } = prover;
  const wallet = await openSignedIn(prover, 'PASSKEY');
  await fund(sandbox, wallet.accountId, 5_000_000);
  const { body } = await sandbox.send('GET', '/customers/internal-accounts?type=EMBEDDED_WALLET&limit=100');
  const { customerId } = body.data.find(({ id }: { id: string }) => id === wallet.accountId);
  const bankId = await bankAccount(sandbox, '001', customerId);
  const agent = await openAgent(sandbox, customerId, policy);
  const sides = { source: fromAccount(wallet.accountId), destination: toAccount(bankId) };
  const ask = async (): Promise<Quote> => {
    const request = agentQuote({ accountId: wallet.accountId, bankId }, { ...sides, lockedCurrencyAmount: 1_000_000 });
    const answer = await agent.send('POST', '/quotes', { body: request });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const quote = await ask();
  const sign = ({ paymentInstructions = [] }: Quote = quote) => {
    const [instruction] = paymentInstructions;
    const info = instruction?.accountOrWalletInfo ?? {};
    if (!('payloadToSign' in info)) throw new Error('The quote has nothing to sign');
    return { 'Service-Wallet-Signature': prover.sign(info.payloadToSign as string, wallet.signedIn) };
  };
  const balance = async () => (await books(sandbox))[wallet.accountId];
  const revoke = async () => {
    const path = `/auth/sessions/${wallet.signedIn.session.id}`;
    expect((await signBy(prover, wallet.signedIn, 'DELETE', path)).status).toBe(204);
  };
  const approve = ({ id }: { id: string }): Promise<Answer> =>
    sandbox.send('POST', `/agents/${agent.id}/actions/${id}/approve`);
  return { sandbox, agent, quote, ask, sign, balance, revoke, approve };
}

describe.each(['magic', 'real'] as const)('in %s proofs', (kind) => {
  test.each([
    ['that is carried out at once', {}],
    ['that will wait', waits],
  ])(
    'an execution %s: 401 without the signature and with a wrong one; the right one is good',
    async (_name, policy) => {
      const { sandbox, agent, quote, sign, balance } = await open(kind, policy);
      const missing = await executeAs(agent, quote, { headers: { 'Request-Id': 'nonsense' } });
      expectRefusal(missing, 401, 'WALLET_SIGNATURE_MISSING');
      expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="Countersign"');
      for (const signature of ['nonsense', `${sign()['Service-Wallet-Signature'].slice(1)}`]) {
        const headers = { 'Service-Wallet-Signature': signature };
        const refused = expectRefusal(await executeAs(agent, quote, { headers }), 401, 'UNAUTHORIZED');
        expect(refused).toMatchObject(wrongSignature);
      }
      expect([await actionsOf(agent), await used(agent), await balance()]).toEqual([[], [0, 0], 5_000_000]);
      expect(await readQuote(sandbox, quote.id)).toEqual(quote);
      const action = await mustExecuteAs(agent, quote, { headers: sign() });
      expect(action.status).toBe(policy === waits ? 'PENDING_APPROVAL' : 'APPROVED');
      expect(await balance()).toBe(policy === waits ? 5_000_000 : 4_000_000);
    },
  );

  test('the signature counts for the approval, also if its session was revoked meanwhile', async () => {
    const { agent, quote, ask, sign, balance, revoke, approve } = await open(kind, waits);
    const later = await ask();
    const action = await mustExecuteAs(agent, quote, { headers: sign() });
    await revoke();
    expectRefusal(await executeAs(agent, later, { headers: sign(later) }), 401, 'UNAUTHORIZED');
    const { status, body } = await approve(action);
    expect([status, body.status, body.transaction.status]).toEqual([200, 'APPROVED', 'COMPLETED']);
    expect([await balance(), await used(agent)]).toEqual([4_000_000, [1, 100]]);
  });
});

test('what the policy does not permit is 403, before the signature', async () => {
  const { agent, quote } = await open('magic');
  await agent.changePolicy({ spendingLimits: { perTransactionLimit: 99 } });
  expectRefusal(await executeAs(agent, quote), 403, 'POLICY_VIOLATION');
});

test('the money is looked at after the signature: without it the action is FAILED', async () => {
  const { sandbox, agent, quote, ask, sign } = await open('magic');
  const quotes = [quote, await ask(), await ask(), await ask(), await ask()];
  for (const one of quotes) await mustExecuteAs(agent, one, { headers: sign(one) });
  const poor = await ask();
  expectRefusal(await executeAs(agent, poor), 401, 'WALLET_SIGNATURE_MISSING');
  const action = await mustExecuteAs(agent, poor, { headers: sign(poor) });
  expect([action.status, action.quote.status, 'transaction' in action]).toEqual(['FAILED', 'PENDING', false]);
  expect(await readQuote(sandbox, poor.id)).toEqual(poor);
});

test("a signature isn't part of what a key repeats; a first request without one leaves the key free", async () => {
  const { agent, quote, sign, balance } = await open('magic');
  const withKey = (headers: object) => ({ headers: { 'Idempotency-Key': key, ...headers } });
  expectRefusal(await executeAs(agent, quote, withKey({})), 401, 'WALLET_SIGNATURE_MISSING');
  const first = await executeAs(agent, quote, withKey(sign()));
  expect(first.body.status).toBe('APPROVED');
  for (const headers of [{}, { 'Service-Wallet-Signature': 'another' }]) {
    expectReplay(await executeAs(agent, quote, withKey(headers)), first);
  }
  expect(await balance()).toBe(4_000_000);
});
