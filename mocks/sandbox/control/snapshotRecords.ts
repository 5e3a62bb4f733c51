import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';
import { type Operation, type OperationId, operations } from '../../../generated/operations.ts';
import { viewExternalAccount, viewInternalAccount } from '../domains/accounts/records.ts';
import { showAction, viewAgent } from '../domains/agents/records.ts';
import { viewCredential, viewSession } from '../domains/auth/records.ts';
import { showCustomer } from '../domains/customers/procedures.ts';
import { viewBeneficialOwner, viewVerification } from '../domains/customers/records.ts';
import { viewQuote } from '../domains/quotes/records.ts';
import { viewConfig, viewToken } from '../domains/tokens/records.ts';
import { viewTransaction } from '../domains/transfers/records.ts';
import { maxAmount } from '../payments/currencies.ts';
import { isInternalAccount } from '../payments/places.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import type { Unit } from '../store/units/unit.ts';
import { invalid, Problem, StorageUnavailable } from '../tools/problem.ts';
import type { Snapshot } from '../worlds/snapshot.ts';

const text = { type: 'string', minLength: 1, maxLength: 65_536 } as const;
const hex = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const flag = { type: 'boolean' } as const;
const amount = { type: 'integer', minimum: 0, maximum: maxAmount } as const;
/** The last instant is the end of the year 9999, because a timestamp ends there. */
const instant = { type: 'integer', minimum: 0, maximum: Date.UTC(9999, 11, 31, 23, 59, 59, 999) } as const;

type Schemas = Readonly<Record<string, object>>;
const fields = (required: Schemas, optional: Schemas = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
});
function accepted(required: Schemas, optional: Schemas = {}) {
  return fields({ ok: { const: true }, ...required }, optional);
}
const listOf = (items: object) => ({ type: 'array', maxItems: 10_000, items });
const money = fields({ currency: text, amount });
const payment = fields({ from: text, to: text, sending: money, fee: amount, receiving: money });
const dated = { createdAt: instant, updatedAt: instant };
const proofsKind = { enum: ['magic', 'real'] } as const;
const passkeyKey = fields({ publicKey: text, counter: amount }, { backupEligible: flag });

/** What a registration's body proved on its first call (D15): per type, accepted with its facts, or refused. */
const registrationVerdict = {
  oneOf: [
    fields({ type: { const: 'EMAIL_OTP' } }),
    fields({ type: { const: 'OAUTH' }, verdict: accepted({ identity: text, nickname: text }) }),
    fields({ type: { const: 'OAUTH' }, verdict: fields({ ok: { const: false } }, { hint: text }) }),
    fields({ type: { const: 'PASSKEY' }, verdict: accepted({}, { key: passkeyKey }) }),
    fields({ type: { const: 'PASSKEY' }, verdict: fields({ ok: { const: false } }, { hint: text }) }),
  ],
};

/** The fields of a record that no reply shows. {@link tryRecords} tries the others. */
export const hiddenFields: Readonly<Record<RecordTable, ReturnType<typeof fields>>> = {
  tokens: fields({ clientId: text, secretHash: hex, permissions: listOf(text), ...dated }),
  customers: fields({ umaAddress: text, currencies: listOf(text), isDeleted: flag, ...dated }),
  internal_accounts: fields(
    { type: text, status: text, currency: text, balance: amount, ...dated },
    { customerId: text },
  ),
  credentials: {
    ...fields(
      { accountId: text, nickname: text, challengedAt: listOf(instant), ...dated },
      {
        oidcIdentity: text,
        code: fields({ hash: text, proofs: proofsKind, expiresAt: instant }, { attemptsLeft: amount }),
        passkey: fields(
          { credentialId: text, transports: listOf(text) },
          { key: passkeyKey, userHandle: { type: 'string' } },
        ),
      },
    ),
    ...{
      if: { properties: { type: { const: 'PASSKEY' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['passkey'] },
    },
  },
  sessions: fields({ accountId: text, issuedBy: text, createdAt: instant, expiresAt: instant }, { publicKey: text }),
  pending_requests: {
    ...fields({ expiresAt: instant, used: flag, kind: { enum: ['SIGNED_RETRY', 'PASSKEY'] } }),
    ...{
      if: { properties: { kind: { const: 'PASSKEY' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: fields({ credentialId: text, clientPublicKey: text, challenge: text }),
      else: fields(
        { accountId: text, target: text, bodyHash: text, payloadToSign: text },
        { credentialSet: listOf(text), proven: fields({ proofs: proofsKind, verdict: registrationVerdict }) },
      ),
    },
  },
  outbox: fields({ to: text, code: text, accountId: text, sentAt: instant }),
  beneficial_owners: fields({ customerId: text, ...dated }),
  verifications: fields({ customerId: text, errors: listOf({ type: 'object' }), createdAt: instant }),
  external_accounts: fields({ currency: text, accountInfo: { type: 'object' } }, { customerId: text }),
  lookups: {
    ...fields({ createdAt: instant, kind: { enum: ['UMA', 'EXTERNAL_ACCOUNT'] } }),
    ...{
      if: { properties: { kind: { const: 'UMA' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: fields({ receiverUmaAddress: text }),
      else: fields({ accountId: text }),
    },
  },
  configs: fields({ ...dated }),
  postings: fields(
    { movementId: text, accountId: text, currency: text, amount: { ...amount, minimum: -maxAmount }, at: instant },
    { transactionId: text },
  ),
  quotes: fields(
    {
      transactionId: text,
      payment,
      exchangeRate: { type: 'number', minimum: 0 },
      createdAt: instant,
      expiresAt: instant,
    },
    { payerId: text, agentId: text, reachedId: text, payloadToSign: text },
  ),
  transactions: {
    ...fields(
      { payment, reference: text, exchangeRate: { type: 'number', minimum: 0 }, ...dated },
      {
        customerId: text,
        platformCustomerId: text,
        receiver: fields({ accountId: text }, { customerId: text }),
        quoteId: text,
        agentId: text,
        pending: { enum: ['COMPLETE', 'RETURN', 'TIME_OUT'] },
        refund: fields({ status: text, reason: text, at: instant }),
        settledAt: instant,
      },
    ),
    ...{
      // What comes in belongs to no quote, so it can't have a quote's reasons to fail.
      if: { required: ['quoteId'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { type: { const: 'OUTGOING' } } },
    },
  },
  effects: fields({ kind: { enum: ['EXPIRE_QUOTE', 'SETTLE_TRANSACTION'] }, subjectId: text, dueAt: instant }),
  idempotency_keys: fields({ fingerprint: text, status: { type: 'integer', minimum: 200, maximum: 499 } }),
  agents: fields(
    {
      customerId: text,
      isPaused: flag,
      policy: fields({
        permissions: listOf(text),
        spendingLimits: { type: 'object' },
        accountRules: listOf({ type: 'object' }),
      }),
      usage: fields({ day: text, dailyCount: amount, dailySpend: amount, month: text, monthlySpend: amount }),
      ...dated,
    },
    { tokenHash: hex },
  ),
  device_codes: fields(
    { agentId: text, codeHash: hex, expiresAt: instant },
    { ended: { enum: ['redeemed', 'replaced'] } },
  ),
  agent_actions: fields(
    { agentId: text, customerId: text, request: { type: 'object' }, sum: money, ...dated },
    { transactionId: text, countedAt: instant },
  ),
};

type Show = readonly [OperationId, (unit: Unit, record: never) => unknown];
const listed = (data: unknown) => ({ data: [data], hasMore: false, totalCount: 1 });

/** For each table, the reply that shows its record, and the operation that returns the reply. */
const shows: Partial<Record<RecordTable, Show>> = {
  tokens: ['getToken', (_unit, record) => viewToken(record)],
  customers: ['getCustomer', (unit, record) => showCustomer(unit, record)],
  internal_accounts: ['listInternalAccounts', (_unit, record) => listed(viewInternalAccount(record))],
  credentials: ['listCredentials', (_unit, record) => ({ data: [viewCredential(record)] })],
  sessions: ['listSessions', (_unit, record) => listed(viewSession(record))],
  beneficial_owners: ['getBeneficialOwner', (_unit, record) => viewBeneficialOwner(record)],
  verifications: ['getVerification', (_unit, record) => viewVerification(record)],
  external_accounts: ['getExternalAccount', (_unit, record) => viewExternalAccount(record)],
  configs: ['getConfig', (_unit, record) => viewConfig(record)],
  quotes: ['getQuote', (_unit, record) => viewQuote(record)],
  transactions: ['getTransaction', (_unit, record) => viewTransaction(record)],
  agents: ['getAgent', (_unit, record: { usage: never }) => viewAgent(record as never, record.usage)],
  agent_actions: ['getAgentAction', (unit, record) => showAction(unit, record)],
};

/** The references from one record to others. The other records must exist. */
export const links: Partial<
  Record<RecordTable, (record: never) => readonly (readonly [RecordTable, string | undefined])[]>
> = {
  internal_accounts: ({ customerId }: Ids) => [['customers', customerId]],
  external_accounts: ({ customerId }: Ids) => [['customers', customerId]],
  beneficial_owners: ({ customerId }: Ids) => [['customers', customerId]],
  verifications: ({ customerId }: Ids) => [['customers', customerId]],
  credentials: ({ accountId }: Ids) => [['internal_accounts', accountId]],
  sessions: ({ accountId }: Ids) => [['internal_accounts', accountId]],
  agents: ({ customerId }: Ids) => [['customers', customerId]],
  device_codes: ({ agentId }: Ids) => [['agents', agentId]],
  agent_actions: ({ transactionId }: Ids) => [['transactions', transactionId]],
  quotes: ({ transactionId, payment, reachedId, payerId, agentId }: Ids & Paid) => [
    ['transactions', transactionId],
    ['customers', payerId],
    ['agents', agentId],
    ...accountsAmong(payment.from, payment.to, reachedId),
  ],
  transactions: ({ quoteId, payment, receiver }: Ids & Paid) => [
    ['quotes', quoteId],
    ...accountsAmong(payment.from, payment.to, receiver?.accountId),
  ],
  postings: ({ accountId, transactionId }: Ids) => [['transactions', transactionId], ...accountsAmong(accountId)],
  effects: ({ kind, subjectId }: Ids) => [[kind === 'EXPIRE_QUOTE' ? 'quotes' : 'transactions', subjectId]],
};
type IdName =
  | 'customerId'
  | 'accountId'
  | 'agentId'
  | 'transactionId'
  | 'quoteId'
  | 'reachedId'
  | 'payerId'
  | 'kind'
  | 'subjectId';
export type Ids = Readonly<Partial<Record<IdName, string>>>;
type Paid = {
  readonly payment: { readonly from: string; readonly to: string };
  readonly receiver?: { readonly accountId: string };
};

/** The places of the ledger that are accounts of the platform. */
function accountsAmong(...places: (string | undefined)[]): (readonly [RecordTable, string])[] {
  return places.flatMap((place) => (isInternalAccount(place) ? [['internal_accounts', place] as const] : []));
}

/**
 * Runs `restore`, then shows every record as the interface would. A snapshot's digest doesn't prove who wrote it. So a
 * record that can't be shown is found here, and not by a later request.
 * @throws Problem 400 at a record that doesn't fit the contract or that refers to a missing record.
 */
export async function tryRecords(
  unit: Unit,
  { records }: Snapshot,
  contract: Contract,
  restore: () => Promise<void>,
): Promise<void> {
  await refuseFailure('/records', restore);
  requireOwnTransactions(records);
  const ids = new Map(recordTables.map((name) => [name, new Set(records[name]?.map(({ id }) => id))]));
  for (const name of recordTables) {
    for (const [index, record] of (records[name] ?? []).entries()) {
      await refuseFailure(`/records/${name}/${index}`, async () => {
        requireLinks(name, record, (other, id) => ids.get(other)?.has(id) === true);
        await showRecord(unit, name, record, contract);
      });
      await unit.pause();
    }
  }
}

/** @throws Error if a record refers to a missing one */
export function requireLinks(
  name: RecordTable,
  record: object,
  isThere: (other: RecordTable, id: string) => boolean,
): void {
  for (const [other, id] of links[name]?.(record as never) ?? []) {
    if (id !== undefined && !isThere(other, id)) throw new Error(`${other} has no ${id}`);
  }
}

/** @throws Problem 400 if no reply can show the record */
export async function showRecord(unit: Unit, name: RecordTable, record: object, contract: Contract): Promise<void> {
  const show = shows[name];
  if (show === undefined) return;
  const operation = operations.find(({ id }) => id === show[0]) as Operation;
  const faults = contract.checkResponse(operation, 200, await show[1](unit, record as never));
  if (faults !== null && faults.length > 0) throw invalid(toFaults('body', faults, 'response'));
}

/** A quote and its transaction must refer to each other: if one expires or settles, the other changes too. */
function requireOwnTransactions(records: Snapshot['records']): void {
  const byId = (table: RecordTable) => new Map(records[table]?.map((record) => [record.id, record as Ids]));
  const [quotes, transactions] = [byId('quotes'), byId('transactions')];
  const faults = [...quotes].flatMap(([id, { transactionId = '' }], index): Fault[] => {
    const isOwn = transactions.get(transactionId)?.quoteId === id;
    return isOwn ? [] : [{ in: 'body', pointer: `/records/quotes/${index}/transactionId`, message: 'is not its own' }];
  });
  const stray = [...transactions].flatMap(([id, { quoteId }], index): Fault[] => {
    const isOwn = quoteId === undefined || quotes.get(quoteId)?.transactionId === id;
    return isOwn ? [] : [{ in: 'body', pointer: `/records/transactions/${index}/quoteId`, message: 'is not its own' }];
  });
  if (faults.length + stray.length > 0) throw invalid([...faults, ...stray]);
}

/** Any failure except one of the store is the snapshot's fault, because this code reads nothing else. */
export async function refuseFailure(pointer: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StorageUnavailable || isOfEngine(error)) throw error;
    if (error instanceof Problem && pointer === '/records') throw error;
    if (isConstraint(error)) throw invalid([{ in: 'body', pointer: '/records', message: twice }]);
    const faults = error instanceof Problem ? ((error.details?.['errors'] ?? []) as readonly Fault[]) : [];
    const reason = faults[0] === undefined ? '' : ` (${faults[0].pointer} ${faults[0].message})`;
    throw invalid([{ in: 'body', pointer, message: `isn't a record that the sandbox could have made${reason}` }]);
  }
}

const twice = 'has two records with the same id, or with the same of another value that must be unique';

/** Whether the engine refused a value because another row has it. */
function isConstraint(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as { errcode?: number; code?: string };
  return (errcode !== undefined && (errcode & 0xff) === 19) || code?.startsWith('23') === true;
}

/** Whether an error comes from SQLite or PostgreSQL. A broken constraint doesn't count: the records have broken it. */
function isOfEngine(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, severity, code } = error as { errcode?: number; severity?: string; code?: string };
  if (errcode !== undefined) return (errcode & 0xff) !== 19;
  return severity !== undefined && code?.startsWith('23') !== true;
}
