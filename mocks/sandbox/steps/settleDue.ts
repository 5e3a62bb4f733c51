import {
  drop,
  type EffectKind,
  type Effects,
  findNextDue,
  isAnyDue,
  isStillThere,
  knownNextDue,
  listDue,
  nextDue,
  noteNextDue,
} from '../domains/effect.ts';
import { clearTimeout, setTimeout } from '../node/machine/timers.ts';
import type { Preparation, Unit, Units } from '../store/units/unit.ts';
import type { Stopwatch } from '../tools/clock.ts';
import { Problem } from '../tools/problem.ts';

/** The maximum number of effects that are read at once, which bounds the memory of a slice. */
const mostAtOnce = 64;
/** A slice carries out effects for this time, in milliseconds of the main thread. Then others have their turn. */
const sliceMs = 4;
/** A request waits for ten seconds until everything is carried out that is due. */
const usual: Patience = { ms: 10_000 };

/** Returned by a unit that could not begin its own work, because something is due (D30). It has written nothing. */
export const somethingIsDue = Symbol('something is due');

/** Carries out what is due on platforms, in units of their own. */
export interface Settling {
  /**
   * Runs a unit. If it returns {@link somethingIsDue}, carries out what is due and runs it again. Settling is a unit of
   * its own, so a refusal of the request doesn't undo it. While nothing is due, the request pays for one unit only.
   * @throws Problem 503 if that takes longer than the caller can wait. Settling goes on then
   */
  run<T>(platformId: string, work: (unit: Unit) => Promise<T | typeof somethingIsDue>, patience?: Patience): Promise<T>;
  /**
   * A preparation with the state and the time after everything that was due, so that its chance doesn't depend on who
   * carried that out.
   * @throws Problem 503 as {@link run}
   */
  preparation(platformId: string, purpose: string): Promise<Preparation>;
  /** Stops after the slice that runs now. What is still due happens after the next start. */
  end(): void;
}

export interface Patience {
  readonly ms: number;
  /** The message if the time is over. */
  readonly lateMessage?: string;
}

export interface SettlingParts {
  readonly units: Units;
  readonly effects: Effects;
  readonly stopwatch: Stopwatch;
}

export function createSettling({ units, effects, stopwatch }: SettlingParts): Settling {
  /** One entry per platform that is being settled. Everybody who needs its effects waits for the same work. */
  const underWay = new Map<string, Promise<void>>();
  let isEnding = false;

  const settleAll = async (platformId: string): Promise<void> => {
    // Each slice is a unit, and commits. Between two, the event loop turns and units of other platforms run.
    while (await units.run(platformId, (unit) => settleSlice(unit, effects, stopwatch))) {
      if (isEnding) throw tooMuchIsDue();
    }
  };
  const settle = (platformId: string, patience: Patience): Promise<void> => {
    let work = underWay.get(platformId);
    if (work === undefined) {
      work = settleAll(platformId).finally(() => underWay.delete(platformId));
      underWay.set(platformId, work);
      // Callers that still wait get the error. If nobody does, the next request tries again.
      work.catch(() => {});
    }
    return waitFor(work, patience);
  };
  return {
    async run(platformId, work, patience = usual) {
      for (;;) {
        const result = await units.run(platformId, work);
        if (result !== somethingIsDue) return result;
        await settle(platformId, patience);
      }
    },
    async preparation(platformId, purpose) {
      for (;;) {
        const preparation = await units.preparation(platformId, purpose);
        const known = knownNextDue(units, platformId);
        const next = known ?? (await preparation.read((reader) => findNextDue(reader, preparation.rowsId)));
        if (next > preparation.now) return preparation;
        await settle(platformId, usual);
      }
    },
    end: () => {
      isEnding = true;
    },
  };
}

/** @throws Problem 503 if the work takes longer */
async function waitFor(work: Promise<void>, { ms, lateMessage }: Patience): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooMuchIsDue(lateMessage)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const stillUnderWay =
  'So much is due on this platform that carrying it out takes longer than a request can wait. It goes on; try again.';

function tooMuchIsDue(message = stillUnderWay): Problem {
  return new Problem('STORAGE_UNAVAILABLE', message, { headers: { 'Retry-After': '5' } });
}

/**
 * Carries out the effects that are due next, in order, each at its own instant (D30). Ids and chance come from the
 * effect, so the result is the same however the effects are divided into slices.
 * @returns whether more is due
 */
export async function settleSlice(unit: Unit, effects: Effects, stopwatch: Stopwatch): Promise<boolean> {
  const end = stopwatch() + sliceMs;
  const listed = await listDue(unit, mostAtOnce);
  const due = listed.filter(({ dueAt }) => dueAt <= unit.dueBy);
  for (const [kind, some] of Map.groupBy(due, (effect): EffectKind => effect.kind)) {
    const subjects = some.map(({ subjectId }) => subjectId);
    await effects[kind].readAhead(unit, subjects);
  }
  for (const [index, effect] of due.entries()) {
    // An effect before it may have dropped it, or scheduled another one that comes first, in the next slice.
    if (!isStillThere(unit, effect)) continue;
    if ((await nextDue(unit)) < effect.dueAt) return true;
    const isLast = listed.length < mostAtOnce && index === listed.length - 1;
    noteNextDue(unit, isLast ? Number.POSITIVE_INFINITY : listed[index + 1]?.dueAt);
    const { id, kind, subjectId, dueAt } = effect;
    const { isAwaited, carryOut } = effects[kind];
    if (await isAwaited(unit, subjectId)) {
      unit.tell({ type: 'DUE', kind, subjectId, dueAt });
      await carryOut(unit.effectAt(dueAt, id), subjectId);
    }
    // Usually it is gone, because its subject has left the state that it waited for.
    if (isStillThere(unit, effect)) await drop(unit, id);
    if (stopwatch() >= end) break;
  }
  return isAnyDue(unit);
}
