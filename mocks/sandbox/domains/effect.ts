import { firstRow, limitOf, literal, query } from '../store/query.ts';
import { recordTable, type Stored } from '../store/records/table.ts';
import type { Unit, Units } from '../store/units/unit.ts';

/** The kinds of effects that happen later without a request. */
export type EffectKind = 'EXPIRE_QUOTE' | 'SETTLE_TRANSACTION';

/**
 * An effect that is due at an instant. It is a row and not a timer, so it also happens after a restart, or in another
 * process.
 */
export interface EffectRecord {
  readonly id: string;
  readonly kind: EffectKind;
  readonly subjectId: string;
  readonly dueAt: number;
}

/** The work for each kind. */
export type Effects = { readonly [Kind in EffectKind]: EffectWork };

interface EffectWork {
  /** Reads what the effects on these subjects need, for all of them together, so that it is known afterwards. */
  readonly readAhead: (unit: Unit, subjectIds: readonly string[]) => Promise<void>;
  /** The time of the unit is the instant at which the effect was due. */
  readonly carryOut: (unit: Unit, subjectId: string) => Promise<void>;
}

export const effects = recordTable<EffectRecord, 'due_at'>({
  name: 'effects',
  columns: (effect) => ({ due_at: effect.dueAt }),
});

const soonest = query<{ platformId: string }>((db, p) =>
  db.selectFrom('effects').select('due_at').where('platform_id', '=', p.platformId).orderBy('due_at').limit(literal(1)),
);

const comingUp = query<{ platformId: string; limit: number }>((db, p) =>
  db
    .selectFrom('effects')
    .select('id')
    .where('platform_id', '=', p.platformId)
    .orderBy('due_at')
    .orderBy('sequence')
    .limit(limitOf(p.limit)),
);

/** The effects that are due next, the soonest first. */
export async function listDue(unit: Unit, limit: number): Promise<readonly Stored<EffectRecord>[]> {
  const { rows } = await comingUp(unit, { platformId: unit.rowsId, limit });
  return effects.findAll(
    unit,
    rows.map((row) => String(row['id'])),
  );
}

/** The name in the unit's memory for the time of the next effect. */
const nameOfNextDue = 'next due';

/** When the next effect is due; infinite if there is none. */
export async function nextDue(unit: Unit): Promise<number> {
  const known = unit.memory.get(nameOfNextDue) as number | undefined;
  if (known !== undefined) return known;
  const row = firstRow(await soonest(unit, { platformId: unit.rowsId }));
  const next = row === undefined ? Number.POSITIVE_INFINITY : Number(row['due_at']);
  unit.memory.set(nameOfNextDue, next);
  return next;
}

/** The same outside a unit. @returns undefined if only the store knows it */
export function knownNextDue(units: Pick<Units, 'recall'>, platformId: string): number | undefined {
  return units.recall(platformId, nameOfNextDue) as number | undefined;
}

/** Schedules an effect for an instant, in milliseconds. */
export async function schedule(unit: Unit, kind: EffectKind, subjectId: string, dueAt: number): Promise<void> {
  const known = unit.memory.get(nameOfNextDue) as number | undefined;
  await effects.insert(unit, { id: unit.newId('Effect'), kind, subjectId, dueAt });
  if (known !== undefined) unit.memory.set(nameOfNextDue, Math.min(known, dueAt));
}

/**
 * Takes an effect that is due next out of the store, to carry it out.
 * @param following the one that is due after it, if the caller knows
 */
export async function takeDue(
  unit: Unit,
  effect: Stored<EffectRecord>,
  following: EffectRecord | undefined,
): Promise<void> {
  await effects.remove(unit, effect);
  unit.memory.set(nameOfNextDue, following?.dueAt);
  const { kind, subjectId, dueAt } = effect;
  unit.tell({ type: 'DUE', kind, subjectId, dueAt });
}
