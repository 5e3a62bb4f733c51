import { type EffectKind, type Effects, listDue, nextDue, takeDue } from '../domains/effect.ts';
import type { Unit } from '../store/units/unit.ts';

/**
 * The maximum number of effects that one unit carries out, so that the units of other platforms don't wait for
 * thousands.
 */
const mostAtOnce = 100;

/** Returned by a unit that could not begin its own work, because more is due than one unit carries out. */
export const moreIsDue = Symbol('more is due');

/**
 * Carries out the effects that are due on the platform, in order, each at its own time. Call this before the unit reads
 * anything else, so that every effect has happened exactly when it was due (D30).
 * @returns whether nothing more is due. Otherwise the unit must end with {@link moreIsDue}
 */
export async function settleDue(unit: Unit, effects: Effects): Promise<boolean> {
  if (await isSettled(unit)) return true;
  const due = (await listDue(unit, mostAtOnce)).filter(({ dueAt }) => dueAt <= unit.dueBy);
  for (const [kind, some] of Map.groupBy(due, (effect): EffectKind => effect.kind)) {
    await effects[kind].readAhead(
      unit,
      some.map(({ subjectId }) => subjectId),
    );
  }
  for (const [index, effect] of due.entries()) {
    // An earlier effect may have scheduled another one before this one. It comes first in the next unit.
    if (index > 0 && (await nextDue(unit)) < effect.dueAt) return false;
    await takeDue(unit, effect, due[index + 1]);
    await effects[effect.kind].carryOut(unit.at(effect.dueAt), effect.subjectId);
  }
  return isSettled(unit);
}

/** Runs a unit again as long as more is due. The effects that each run has carried out are committed. */
export async function untilSettled<T>(run: () => Promise<T | typeof moreIsDue>): Promise<T> {
  for (;;) {
    const result = await run();
    if (result !== moreIsDue) return result;
  }
}

/** Whether nothing is due on the platform. */
export async function isSettled(unit: Unit): Promise<boolean> {
  return (await nextDue(unit)) > unit.dueBy;
}
