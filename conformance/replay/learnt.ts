/**
 * What a replay has learnt: which new value replaces which recorded one. Ids, tokens and times differ from run to run.
 * They aren't compared but replaced.
 */
import { disguise } from '../../contract/mask.ts';

/** A recorded value and the new value that replaces it. */
interface Pair {
  readonly ours: string;
  /** The ids beside it in the recorded reply. They distinguish two secrets that look the same when masked. */
  readonly beside: ReadonlySet<string>;
}

export interface Learnt {
  /** @param beside the ids in the recorded reply. */
  note(recorded: string, ours: string, beside?: ReadonlySet<string>): void;
  /** The value that replaces a recorded one. @returns undefined if no reply has contained it yet */
  find(recorded: string, beside?: ReadonlySet<string>): string | undefined;
  /** Replaces everything that was learnt: the whole text, or names inside it. */
  inPlace(text: string, beside?: ReadonlySet<string>): string;
  /** Whether the new value already replaces another recorded one. */
  isTaken(ours: string): boolean;
}

/** The form of an id of this service: `Customer:0199…`. */
const idForm = /^([A-Z][A-Za-z]+):(.+)$/;
/** A name that is too long to occur twice by chance. */
const longName = /[A-Za-z0-9][\w-]{11,}/g;

/** The type in an id. @returns undefined if the text isn't an id */
export function typeOfId(text: string): string | undefined {
  return idForm.exec(text)?.[1];
}

/** Whether the same text in two places means the same thing: an id, or a long random name. */
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
    // Only a masked value can mean several things.
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

/** All ids and long names inside a value. */
export function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (typeof value === 'string' && isName(value)) names.add(value);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) namesIn(item, names);
  return names;
}
