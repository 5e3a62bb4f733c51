/**
 * Builds the world of the examples from the contract's examples. Bodies, ids and times are the contract's. This file
 * adds only what no example says: the order of the requests, and the state in which the first example of each operation
 * succeeds.
 */
import type { Contract } from '../../../../contract/contract.ts';
import { credit, openPlatformAccount } from '../../domains/accounts/procedures/accounts.ts';
import { mustFindAccount } from '../../domains/accounts/records.ts';
import { issueDeviceCode, mustFindAgent } from '../../domains/agents/procedures/agents.ts';
import { agents, hashCode, isCodeTaken, isTokenOfAnother } from '../../domains/agents/records.ts';
import { openConfig, storeToken } from '../../domains/tokens/procedures.ts';
import { toHex } from '../../node/machine/bytes.ts';
import type { Unit } from '../../store/units/unit.ts';
import { Teller } from './teller.ts';

/**
 * The time at which the platform's clock stands still: after everything that the examples list as done, and before
 * Amara moves and is deleted. It stands still, so that a quote of the examples can always be executed.
 */
const moment = Date.parse('2025-10-13T11:00:00.000Z');

/**
 * When the things started that expire: quotes, sessions, codes, signed retries. With their examples' times they would
 * have expired at {@link moment}. A minute earlier is also outside the window of the challenge limit (D14).
 */
const recently = moment - 60_000;

/** When the platform was created, before everything else. */
const beginning = Date.parse('2025-10-13T08:00:00.000Z');

const idOf = (kind: string, end: string): string => `${kind}:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e${end}`;

/** Fills an empty platform with the world of the examples, and stops its clock there. */
export async function tellExamples(
  unit: Unit,
  contract: Contract,
  token: Parameters<typeof storeToken>[1],
): Promise<void> {
  unit.setState({ ...unit.state, clock: { offsetMs: 0, frozenAt: moment } });
  const teller = new Teller(unit, contract);
  await storeToken(teller.at(beginning), token);
  await tellPlatform(teller);
  await tellCustomers(teller);
  await tellPayments(teller);
  await tellAgent(teller);
  await tellSignIn(teller);
  await tellWhatWaits(teller);
}

/** The platform's own accounts, its settings and tokens. */
async function tellPlatform(teller: Teller): Promise<void> {
  const { data } = teller.shown('listPlatformInternalAccounts', 'bankAndStablecoin');
  for (const { id, balance } of data.toReversed()) {
    const unit = teller.at(beginning, [id]);
    await openPlatformAccount(unit, balance.currency.code);
    await fund(unit, id, balance.amount);
  }
  const { id, createdAt } = teller.shown('getConfig', 'defaults');
  await openConfig(teller.at(Date.parse(createdAt), [id]));
  const { name, permissions, ...backend } = teller.shown('listTokens', 'twoTokens')['data'][1];
  await teller.tell('createToken', {
    body: { name, permissions },
    at: Date.parse(backend.createdAt),
    ids: [backend.id],
  });
  await teller.tell('createToken', { reply: 'readOnlyCreated' });
  await teller.tell('createExternalAccount', {
    request: 'platformsOwn',
    ids: [teller.shown('listPlatformExternalAccounts', 'bank')['data'][0].id],
    at: Date.parse(createdAt),
  });
}

/** Amara with her internal and external accounts, and Birchwood with its owners. */
async function tellCustomers(teller: Teller): Promise<void> {
  const [wallet, bank] = teller.shown('listInternalAccounts', 'walletAndBank')['data'];
  const made = Date.parse(bank.createdAt);
  // In the order of her currencies. No example shows the USDC account.
  const accounts = [bank.id, idOf('InternalAccount', '12'), wallet.id];
  await teller.tell('createCustomer', { request: 'individual', reply: 'individualCreated', ids: accounts });
  await fund(teller.at(made), bank.id, bank.balance.amount);
  await teller.tell('createCredential', { request: 'emailOtp', reply: 'emailOtpCreated' });
  await teller.tell('createCustomer', { request: 'business', reply: 'businessCreated' });
  await teller.tell('createVerification', { reply: 'errorsToResolve' });
  await fund(teller.at(Date.parse(wallet.updatedAt)), wallet.id, wallet.balance.amount);
  await teller.tell('createBeneficialOwner', { request: 'owner', reply: 'ownerCreated' });
  await teller.tell('createBeneficialOwner', { request: 'director', reply: 'directorCreated' });
  await teller.tell('updateCustomer', {
    request: 'business',
    reply: 'businessUpdated',
    path: { customerId: teller.shown('updateCustomer', 'businessUpdated')['id'] },
  });
  await teller.tell('createVerification', { reply: 'approved' });
  // External accounts have no times.
  const add = (request: string, id: string, body: object = {}) =>
    teller.tell('createExternalAccount', { request, body, ids: [id], at: made });
  await add('usdBank', teller.shown('getExternalAccount', 'bank')['id']);
  await add('sparkWallet', teller.shown('createExternalAccount', 'walletAdded')['id']);
  await add('mxnClabe', teller.shown('createExternalAccount', 'nameNotMatched')['id']);
  // The account in euros that Amara pays to. It is like Birchwood's, but hers.
  await add('euroBusiness', teller.asked('createQuote')['destination'].accountId, { customerId: bank.customerId });
}

/** The payments that the platform has made for Amara. */
async function tellPayments(teller: Teller): Promise<void> {
  await teller.tell('createQuote', { request: 'executedAtOnce', reply: 'completedQuote' });
  await teller.tell('createTransferIn', { reply: 'completed' });
  await teller.tell('createTransferOut', { reply: 'completed' });
  await teller.tell('receiveSandboxUmaPayment', { reply: 'arrived' });
}

/** The agent, connected and with an unredeemed device code, so that both can be tried. */
async function tellAgent(teller: Teller): Promise<void> {
  const { agent, deviceCode } = teller.shown('createAgent', 'billPayerCreated');
  await teller.tell('createAgent', { reply: 'billPayerCreated' });
  const made = teller.at(Date.parse(agent.createdAt));
  // A code and an access token belong to only one platform. If another one has those of the examples, this one gets its
  // own.
  const isCodeFree = !(await isCodeTaken(made, hashCode(deviceCode.code)));
  await issueDeviceCode(made, agent.id, isCodeFree ? deviceCode.code : undefined);
  const connected = teller.at(Date.parse(teller.shown('getAgent', 'billPayer')['updatedAt']));
  const wanted = hashCode(teller.shown('redeemAgentDeviceCode', 'connected')['accessToken']);
  const isTokenFree = !(await isTokenOfAnother(connected, wanted));
  const before = await mustFindAgent(connected, agent.id);
  await agents.replace(connected, before, {
    ...before,
    tokenHash: isTokenFree ? wanted : hashCode(agentTokenOf(connected)),
    updatedAt: connected.now(),
  });
  const { transferDetails: waiting } = teller.shown('createAgentTransferOut', 'waitsForApproval');
  // Enough money for the action that waits for approval. No example pays it in.
  await fund(teller.at(connected.now()), waiting.sourceAccountId, waiting.amount);
  const self = { actorId: agent.id, customerId: agent.customerId };
  await teller.tell('createAgentTransferOut', { request: 'byWire', reply: 'carriedOut', agent: self });
  await teller.tell('createAgentTransferOut', { request: 'aboveThreshold', reply: 'waitsForApproval', agent: self });
  const rejected = teller.shown('rejectAgentAction', 'transferOut');
  await teller.tell('createAgentTransferOut', {
    request: 'aboveThreshold',
    body: { amount: rejected['transferDetails'].amount },
    ids: [rejected['id']],
    at: Date.parse(rejected['createdAt']),
    agent: self,
  });
  await teller.tell('createAgentQuote', { reply: 'dollarQuote', at: recently, agent: self });
}

/** The agent's access token, on a platform that can't have the one of the examples. */
export function agentTokenOf(unit: Pick<Unit, 'derive'>): string {
  return `agent_${toHex(unit.derive('examples/agent', 32))}`;
}

/** Amara's wallet: a passkey besides the e-mail credential, a session of each, and a code that was just sent. */
async function tellSignIn(teller: Teller): Promise<void> {
  const [email, passkey] = ['emailOtpCreated', 'passkeyCreated'].map((name) => teller.shown('createCredential', name));
  const signIn = (reply: string) =>
    teller.tell('verifyCredential', {
      request: 'emailOtp',
      at: Date.parse(teller.shown('verifyCredential', reply)['createdAt']),
      path: { id: email?.['id'] },
    });
  // This session adds the passkey, and has expired since. Those of the examples come later.
  await signIn('emailOtpSession');
  const asked = teller.shown('createCredential', 'signatureRequired');
  const adding = { request: 'passkey', headers: {} };
  await teller.tell('createCredential', {
    ...adding,
    ids: [asked['requestId']],
    at: Date.parse(JSON.parse(asked['payloadToSign']).issuedAt),
  });
  await teller.tell('createCredential', {
    ...adding,
    reply: 'passkeyCreated',
    headers: signedAs(asked['requestId'], teller),
  });
  const challenge = (request: string, id: string, ids: readonly string[] = []) =>
    teller.tell('challengeCredential', { request, path: { id }, ids, at: recently });
  await challenge('emailOtp', email?.['id']);
  await teller.tell('verifyCredential', { request: 'emailOtp', reply: 'emailOtpSession', at: recently });
  await challenge('emailOtp', email?.['id']);
  const { requestId } = await challenge('passkey', passkey?.['id']);
  await teller.tell('verifyCredential', {
    request: 'passkey',
    reply: 'passkeySession',
    at: recently,
    path: { id: passkey?.['id'] },
    headers: { 'Request-Id': requestId },
  });
  await challenge('passkey', passkey?.['id'], [teller.shown('challengeCredential', 'passkeyChallenge')['requestId']]);
}

/** The pending signatures, each under the Request-Id of its operation, and quotes that can be executed. */
async function tellWhatWaits(teller: Teller): Promise<void> {
  const wait = (id: Parameters<Teller['tell']>[0], request?: string) =>
    teller.tell(id, {
      ...(request === undefined ? {} : { request }),
      ids: [teller.parameter(id, 'Request-Id')],
      at: recently,
    });
  await wait('updateCustomer', 'newEmail');
  await wait('updateInternalAccount');
  await wait('exportInternalAccount');
  await wait('revokeCredential');
  await wait('revokeSession');
  await wait('refreshSession');
  await wait('createCredential');
  await teller.tell('createQuote', { request: 'walletToBank', reply: 'walletQuote', at: recently });
  await teller.tell('createQuote', { request: 'fundedFromOutside', reply: 'fundingQuote', at: recently });
}

function signedAs(requestId: string, teller: Teller): Record<string, string> {
  return {
    'Request-Id': requestId,
    'Service-Wallet-Signature': teller.parameter('createCredential', 'Service-Wallet-Signature'),
  };
}

async function fund(unit: Unit, accountId: string, amount: number): Promise<void> {
  const account = await mustFindAccount(unit, accountId);
  await credit(unit, account, amount);
}
