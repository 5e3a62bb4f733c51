/**
 * What a replay has learnt: which new value stands where a recorded one stood. Recordings name things by ids, tokens and
 * times that are others the next time, so nothing of that kind is compared; it is put in its place.
 */
import { disguise } from '../../contract/mask.ts';

/** Two values that stand in the same place of a recorded reply and of ours. */
interface Pair {
  readonly ours: string;
  /** What the recorded reply named beside it; tells two secrets apart that look alike when they are masked. */
  readonly beside: ReadonlySet<string>;
}

export interface Learnt {
  /** @param beside the ids that the recorded reply named. */
  note(recorded: string, ours: string, beside?: ReadonlySet<string>): void;
  /** The value that stands for a recorded one; undefined if no reply has named it yet. */
  find(recorded: string, beside?: ReadonlySet<string>): string | undefined;
  /** A text with everything that was learnt in its place: the whole of it, or names inside it. */
  inPlace(text: string, beside?: ReadonlySet<string>): string;
  /** Whether the new value stands for another recorded one. */
  isTaken(ours: string): boolean;
}

/** The form of an id of this service: `Customer:0199…`. */
const idForm = /^([A-Z][A-Za-z]+):(.+)$/;
/** A name that nobody would choose twice by chance. */
const longName = /[A-Za-z0-9][\w-]{11,}/g;

/** The kind of thing that an id names; undefined if it isn't an id. */
export function typeOfId(text: string): string | undefined {
  return idForm.exec(text)?.[1];
}

/** Whether two places that have the same such value mean the same: an id, or a long random name. */
export function isName(text: string): boolean {
  return idForm.test(text) || (/^[\w-]{16,}$/.test(text) && /\d/.test(text));
}

export function createLearnt(): Learnt {
  const pairs = new Map<string, Pair[]>();
  const taken = new Set<string>();
  const find: Learnt['find'] = (recorded, beside = new Set()) => {
    const found = pairs.get(recorded);
    const near = found?.findLast((pair) => [...pair.beside].some((id) => beside.has(id)));
    return (near ?? found?.at(-1))?.ours;
  };
  const keep = (recorded: string, pair: Pair): void => {
    const before = (pairs.get(recorded) ?? []).filter(({ ours }) => ours !== pair.ours);
    // Only what is masked can mean several things.
    const isMasked = recorded === 'masked' || disguise(recorded) === recorded;
    pairs.set(recorded, isMasked ? [...before, pair] : [pair]);
  };
  return {
    find,
    note(recorded, ours, beside = new Set()) {
      taken.add(ours);
      keep(recorded, { ours, beside });
      const [, , name] = idForm.exec(recorded) ?? [];
      const [, , own] = idForm.exec(ours) ?? [];
      if (name !== undefined && own !== undefined) keep(name, { ours: own, beside });
    },
    inPlace(text, beside) {
      return find(text, beside) ?? text.replace(longName, (name) => find(name, beside) ?? name);
    },
    isTaken: (ours) => taken.has(ours),
  };
}

/** Every id and long name that a value holds. */
export function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (typeof value === 'string' && isName(value)) names.add(value);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) namesIn(item, names);
  return names;
}
