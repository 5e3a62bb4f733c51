import { type Effects, takeDue } from '../domains/effect.ts';
import type { Unit } from '../store/units/unit.ts';

/**
 * Carries out all effects that are due on the platform, in order, each at its own time. This runs before the unit reads
 * anything else, so every effect has happened exactly when it was due (D30).
 */
export async function settleDue(unit: Unit, effects: Effects): Promise<void> {
  for (let effect = await takeDue(unit); effect !== undefined; effect = await takeDue(unit)) {
    await effects[effect.kind](unit.at(effect.dueAt), effect.subjectId);
  }
}
