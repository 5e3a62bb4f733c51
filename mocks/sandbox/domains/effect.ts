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

/** The work for each kind. The time of its unit is the instant at which it was due. */
export type Effects = { readonly [Kind in EffectKind]: (unit: Unit, subjectId: string) => Promise<void> };

export const effects = recordTable<EffectRecord, 'due_at'>({
  name: 'effects',
  columns: (effect) => ({ due_at: effect.dueAt }),
});

const due = query<{ platformId: string; now: number }>((db, p) =>
  db
    .selectFrom('effects')
    .select('id')
    .where('platform_id', '=', p.platformId)
    .where('due_at', '<=', p.now)
    .orderBy('due_at')
    .orderBy('sequence')
    .limit(literal(1)),
);

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
export async function listDue(unit: Unit, limit: number): Promise<EffectRecord[]> {
  const { rows } = await comingUp(unit, { platformId: unit.platformId, limit });
  const found: EffectRecord[] = [];
  for (const row of rows) {
    const effect = await effects.find(unit, String(row['id']));
    if (effect !== undefined) found.push(effect);
  }
  return found;
}

/** The name in the unit's memory for the time of the next effect. */
const nameOfNextDue = 'next due';

/** When the next effect is due; infinite if there is none. */
export async function nextDue(unit: Unit): Promise<number> {
  const known = unit.memory.get(nameOfNextDue) as number | undefined;
  if (known !== undefined) return known;
  const row = firstRow(await soonest(unit, { platformId: unit.platformId }));
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

/** Takes the effect that was due first out of the store. @returns undefined if none is due */
export async function takeDue(unit: Unit): Promise<Stored<EffectRecord> | undefined> {
  if ((await nextDue(unit)) > unit.dueBy) return undefined;
  const { rows } = await due(unit, { platformId: unit.platformId, now: unit.dueBy });
  const [row] = rows;
  if (row === undefined) return undefined;
  const effect = await effects.find(unit, String(row['id']));
  if (effect === undefined) return undefined;
  await effects.remove(unit, effect);
  unit.memory.set(nameOfNextDue, undefined);
  const { kind, subjectId, dueAt } = effect;
  unit.tell({ type: 'DUE', kind, subjectId, dueAt });
  return effect;
}
