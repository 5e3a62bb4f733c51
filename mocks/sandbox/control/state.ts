import type { Settings } from '../../../generated/controlTypes.ts';
import { movementsOf } from '../domains/accounts/procedures/accounts.ts';
import type { InternalAccountRecord, PostingRecord } from '../domains/accounts/records.ts';
import { LedgerExamination, type LedgerReport } from '../domains/accounts/rules.ts';
import { outbox } from '../domains/auth/records.ts';
import { isAnyDue } from '../domains/effect.ts';
import type { ProofSettings } from '../proofs/proofs.ts';
import { somethingIsDue } from '../steps/settleDue.ts';
import type { PlatformState } from '../store/units/platformState.ts';
import type { RunPart } from '../store/units/unit.ts';
import { nextTurn, toTimestamp } from '../tools/clock.ts';
import { given } from '../tools/given.ts';
import { visitRecords } from '../worlds/visit.ts';
import { type ControlHandlers, changeState } from './route.ts';

/** A platform's settings, the check of its books, and its outbox. */
export const stateHandlers = {
  getSettings: { handle: (call) => changeState(call, (state) => state, showSettings) },
  updateSettings: {
    handle: (call) =>
      changeState(call, (state) => ({ ...state, ...(call.body as Partial<ProofSettings>) }), showSettings),
  },
  getLedger: {
    async handle({ query, requester: { platformId }, parts }) {
      await parts.settling.run(platformId, async (unit) => ((await isAnyDue(unit)) ? somethingIsDue : undefined));
      const { transactionId } = query as Partial<typeof query>;
      const { report, own } = await parts.units.inSlices(platformId, (run) => examine(run, transactionId));
      const movements = transactionId === undefined ? undefined : movementsOf(own);
      const shown = movements?.map(({ at, ...movement }) => ({ ...movement, at: toTimestamp(at) }));
      const stream = writeLedger(report, given({ movements: shown }));
      return { status: 200, stream, headers: { 'Content-Type': 'application/json' } };
    },
  },
  getOutbox: {
    handle: ({ requester, parts }) =>
      parts.units.run(requester.platformId, async (unit) => {
        const { records } = await outbox.page(unit, { limit: outboxLimit, before: null, filters: {} });
        const data = records.map(({ to, code, accountId, sentAt }) => ({
          to,
          code,
          accountId,
          sentAt: toTimestamp(sentAt),
        }));
        return { status: 200, body: { data } };
      }),
  },
} satisfies Pick<ControlHandlers, 'getSettings' | 'updateSettings' | 'getLedger' | 'getOutbox'>;

/** Examines the ledger in slices. @returns the report, and the postings of one transaction, oldest first */
async function examine(run: RunPart, transactionId: string | undefined) {
  const examination = new LedgerExamination();
  const own: PostingRecord[] = [];
  await visitRecords(run, 'postings', (records) => {
    const postings = records as unknown as readonly PostingRecord[];
    examination.addPostings(postings);
    if (transactionId === undefined) return;
    own.push(...postings.filter((posting) => posting.transactionId === transactionId));
  });
  await visitRecords(run, 'internal_accounts', (records) =>
    examination.addAccounts(records as unknown as readonly InternalAccountRecord[]),
  );
  return { report: examination.report(), own };
}

/** The number of faults or places in a piece of a reply. */
const pieceSize = 500;

/** Writes a report in pieces, because a large platform has many places. Between two pieces, others get their turn. */
async function* writeLedger({ faults, places }: LedgerReport, rest: object): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder();
  yield utf8.encode(`{"sound":${faults.length === 0},"faults":[`);
  yield* inPieces(faults.map((fault) => JSON.stringify(fault)));
  yield utf8.encode('],"places":{');
  const names = Object.keys(places);
  yield* inPieces(names, (name) => `${JSON.stringify(name)}:${places[name]}`);
  const end = JSON.stringify(rest).slice(1);
  yield utf8.encode(`}${end === '}' ? '' : ','}${end}`);
}

async function* inPieces(
  items: readonly string[],
  write: (item: string) => string = (item) => item,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < items.length; at += pieceSize) {
    const text = items
      .slice(at, at + pieceSize)
      .map(write)
      .join(',');
    yield new TextEncoder().encode(at === 0 ? text : `,${text}`);
    await nextTurn();
  }
}

/** The maximum number of messages that are shown, the newest first. */
const outboxLimit = 100;

function showSettings({ proofs, origins, rpIds, topOrigins = [], issuers, audiences }: PlatformState): Settings {
  // A stored value is never changed in place, only replaced.
  return { proofs, origins, rpIds, topOrigins, issuers, audiences } as Settings;
}
