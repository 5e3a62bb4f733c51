import { firstRow, limitOf, literal, query } from '../store/query.ts';
import { recordTable, type Stored } from '../store/records/table.ts';
import type { Reader } from '../store/store.ts';
import { nameOfRecord } from '../store/units/memory.ts';
import type { Unit, Units } from '../store/units/unit.ts';

/** The kinds of effects that happen later without a request. */
export type EffectKind = 'EXPIRE_QUOTE' | 'SETTLE_TRANSACTION';

/**
 * An effect that is due at an instant. It is a row and not a timer, so it also happens after a restart, or in another
 * process. It exists as long as its subject is in the state that it waits for: see {@link awaitedState}.
 */
export interface EffectRecord {
  /** See {@link effectId}. */
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
  /** Whether the subject exists and is in the state that the effect waits for. */
  readonly isAwaited: (unit: Unit, subjectId: string) => Promise<boolean>;
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

/**
 * The id of an effect. Its subject decides it, and no chance. So the same effect has the same id wherever it is
 * scheduled, and a change of the subject finds it without a search.
 */
export function effectId(kind: EffectKind, subjectId: string): string {
  return `${kind}:${subjectId}`;
}

/**
 * The rule for a kind of effect: the state that its subject waits in. The subject's table has `follow`, so the effect
 * goes as soon as the subject leaves that state, by any operation.
 */
export function awaitedState<R extends { readonly id: string }>(kind: EffectKind, isWaiting: (subject: R) => boolean) {
  return {
    isWaiting,
    follow: async (unit: Unit, before: R, after: R | undefined): Promise<void> => {
      if (isWaiting(before) && (after === undefined || !isWaiting(after))) await drop(unit, effectId(kind, before.id));
    },
  };
}

/** The effects that are due next, the soonest first. */
export async function listDue(unit: Unit, limit: number): Promise<readonly Stored<EffectRecord>[]> {
  const { rows } = await comingUp(unit, { platformId: unit.rowsId, limit });
  const listed = await effects.findAll(
    unit,
    rows.map((row) => String(row['id'])),
  );
  unit.memory.set(nameOfNextDue, listed[0]?.dueAt ?? Number.POSITIVE_INFINITY);
  return listed;
}

/** The name in the unit's memory for the time before which no effect is due. */
const nameOfNextDue = 'next due';

/**
 * An instant before which no effect is due; infinite if there is none. It can be that of an effect that was dropped
 * meanwhile.
 */
export async function nextDue(unit: Unit): Promise<number> {
  return (unit.memory.get(nameOfNextDue) as number | undefined) ?? (await readNextDue(unit));
}

/** Whether an effect is due. The usual answer, no, needs no query. */
export async function isAnyDue(unit: Unit): Promise<boolean> {
  return (await nextDue(unit)) <= unit.dueBy && (await readNextDue(unit)) <= unit.dueBy;
}

/** When the next effect is due, from the store; infinite if there is none. */
export async function findNextDue(reader: Reader, rowsId: string): Promise<number> {
  const row = firstRow(await soonest(reader, { platformId: rowsId }));
  return row === undefined ? Number.POSITIVE_INFINITY : Number(row['due_at']);
}

async function readNextDue(unit: Unit): Promise<number> {
  const next = await findNextDue(unit, unit.rowsId);
  unit.memory.set(nameOfNextDue, next);
  return next;
}

/** The same outside a unit. @returns undefined if only the store knows it */
export function knownNextDue(units: Pick<Units, 'recall'>, platformId: string): number | undefined {
  return units.recall(platformId, nameOfNextDue) as number | undefined;
}

/** Schedules an effect for an instant, in milliseconds. A subject has at most one of each kind. */
export async function schedule(unit: Unit, kind: EffectKind, subjectId: string, dueAt: number): Promise<void> {
  const known = unit.memory.get(nameOfNextDue) as number | undefined;
  await effects.insert(unit, { id: effectId(kind, subjectId), kind, subjectId, dueAt });
  if (known !== undefined) unit.memory.set(nameOfNextDue, Math.min(known, dueAt));
}

/** Tells the memory that every effect before this instant has been carried out. */
export function noteNextDue(unit: Unit, dueAt: number | undefined): void {
  unit.memory.set(nameOfNextDue, dueAt);
}

/** Whether an effect that this unit has read is still there. An effect before it may have dropped it. */
export function isStillThere(unit: Unit, { id }: EffectRecord): boolean {
  return unit.memory.get(nameOfRecord('effects', id)) !== undefined;
}

/** Removes an effect that has happened, or that won't happen. Does nothing if it is already gone. */
export async function drop(unit: Unit, id: string): Promise<void> {
  const effect = await effects.find(unit, id);
  if (effect !== undefined) await effects.remove(unit, effect);
}
