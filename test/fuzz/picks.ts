/** Objects that exist in a sandbox, and placeholders that stand for one of them until the request is sent. */
import type { Json, Targets } from '../support/requests/targets.ts';

/**
 * A placeholder for the id of an existing object of the type: 0 is the oldest, 1 the newest, 2 the second oldest, and
 * so on.
 */
export function pick(type: string, place: number): string {
  if (type === 'AGENT') return `AGENT-PICK-000${place}`;
  return type === '$' ? `$pick-${place}@pick` : `${type}:pick-${place}`;
}

const pickForm = /^(?:(AGENT)-PICK-000|(\$)pick-|(\w+):pick-)(\d)(?:@pick)?$/;
const idForm = /^([A-Z]\w*):[0-9A-Za-z-]{1,64}$/;
const codeForm = /^AGENT-[0-9A-Z]{4}-[0-9A-Z]{4}$/;

/** The existing objects by type. It learns them from replies. */
export interface Pool {
  /** Replaces the picks in a value with existing ids. A pick whose type has no object stays. */
  settle<T>(value: T): T;
  /** Remembers the ids in a reply. */
  learn(body: unknown): void;
}

/** @param targets come first among the objects of their types. */
export function openPool(targets: Targets): Pool {
  const known = new Map<string, string[]>();
  const add = (type: string, id: string): void => {
    const list = known.get(type) ?? [];
    known.set(type, list);
    if (!list.includes(id)) list.push(id);
    // Keeps the targets, and the newest of the others.
    if (list.length > 40) list.splice(5, 1);
  };
  const learn = (value: unknown): void => {
    JSON.stringify(value, (key, inside) => {
      if (typeof inside !== 'string') return inside;
      const type = idForm.exec(inside)?.[1];
      if (type !== undefined) add(type, inside);
      else if (codeForm.test(inside)) add('AGENT', inside);
      else if (key === 'umaAddress') add('$', inside);
      else if (key === 'nextCursor') add('cursor', inside);
      return inside;
    });
  };
  const settleText = (text: string): string => {
    const [, code, uma, type, place] = pickForm.exec(text) ?? [];
    const list = known.get(code ?? uma ?? type ?? '') ?? [];
    const half = Number(place) >> 1;
    return (Number(place) % 2 === 0 ? list[half % list.length] : list.at(-1 - (half % list.length))) ?? text;
  };
  const settle = (value: Json): Json => {
    if (typeof value === 'string') return settleText(value);
    if (Array.isArray(value)) return value.map(settle);
    if (typeof value !== 'object' || value === null) return value;
    // Defined, not assigned, because a field may be named __proto__.
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, settle(inside)]));
  };
  learn([targets.customer.id, targets.accountId, targets]);
  return { settle: (value) => settle(value as Json) as never, learn };
}
