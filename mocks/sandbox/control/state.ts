import type { Settings } from '../../../generated/controlTypes.ts';
import { checkLedger, listMovements } from '../domains/accounts/procedures/accounts.ts';
import { outbox } from '../domains/auth/records.ts';
import type { ProofSettings } from '../proofs/proofs.ts';
import { effects } from '../registry/effects.ts';
import { moreIsDue, settleDue, untilSettled } from '../steps/settleDue.ts';
import type { PlatformState } from '../store/units/platformState.ts';
import { toTimestamp } from '../tools/clock.ts';
import { given } from '../tools/given.ts';
import { type ControlHandlers, changeState } from './route.ts';

/** A platform's settings, the check of its books, and its outbox. */
export const stateHandlers = {
  getSettings: { handle: (call) => changeState(call, (state) => state, showSettings) },
  updateSettings: {
    handle: (call) =>
      changeState(call, (state) => ({ ...state, ...(call.body as Partial<ProofSettings>) }), showSettings),
  },
  getLedger: {
    handle: ({ query, requester, parts }) =>
      untilSettled(() =>
        parts.units.run(requester.platformId, async (unit) => {
          if (!(await settleDue(unit, effects))) return moreIsDue;
          const { faults, places } = await checkLedger(unit);
          const { transactionId } = query as Partial<typeof query>;
          const movements = transactionId === undefined ? undefined : await listMovements(unit, transactionId);
          const shown = movements?.map(({ at, ...movement }) => ({ ...movement, at: toTimestamp(at) }));
          return {
            status: 200,
            body: { sound: faults.length === 0, faults: [...faults], places, ...given({ movements: shown }) },
          };
        }),
      ),
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

/** The maximum number of messages that are shown, the newest first. */
const outboxLimit = 100;

function showSettings({ proofs, origins, rpIds, topOrigins = [], issuers, audiences }: PlatformState): Settings {
  // A stored value is never changed in place, only replaced.
  return { proofs, origins, rpIds, topOrigins, issuers, audiences } as Settings;
}
