import { type Effects, takeDue } from '../domains/effect.ts';
import type { Unit } from '../store/units/unit.ts';

/**
 * Carries out what has become due on the platform, in due order, each at its own instant, before anything else in the
 * unit looks at the platform: what is due has happened at that very moment (D30).
 */
export async function settleDue(unit: Unit, effects: Effects): Promise<void> {
  for (let effect = await takeDue(unit); effect !== undefined; effect = await takeDue(unit)) {
    await effects[effect.kind](unit.at(effect.dueAt), effect.subjectId);
  }
}
