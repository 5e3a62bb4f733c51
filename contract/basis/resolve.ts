/** What something of the contract rests on, by all that leads to it (openapi/README.md, "Given or assumed"). */
import type { Json } from '../document.ts';
import { type Basis, isObject, marksOf, toBasis } from './marks.ts';
import type { Step } from './steps.ts';

/** What a schema that is given doesn't settle: that a field is there says neither that it must be, nor that it is the last. */
const saidApart = new Set(['required', 'additionalProperties', 'unevaluatedProperties']);

/**
 * What a keyword or rule rests on at the end of the steps. It is given only if all that leads there is.
 * @param key a keyword of the schema, the name of a rule, or `self` for the thing itself.
 * @param name the field, where it is one that is required.
 * @param value what is there, which `x-basis` may go by.
 * @returns undefined where nothing says it.
 */
export function basisAt(
  document: Json,
  steps: readonly Step[],
  key: string,
  name?: string,
  value?: unknown,
): Basis | undefined {
  const field = key === 'required' && name !== undefined ? fieldOf(steps, name) : undefined;
  const whole = field === undefined ? steps : [...steps, field];
  const selves = selvesOf(whole);
  const fieldIsAssumed = field !== undefined && Array.isArray(selves[0]);
  const own = fieldIsAssumed || key === 'self' ? undefined : keywordOf(document, steps, key, name, value);
  const isGiven = selves[0] === 'given';
  if (own === undefined && (selves[0] === undefined || (isGiven && saidApart.has(key)))) return undefined;
  const decisions = [own, ...selves].flatMap((basis) => (basis === undefined || basis === 'given' ? [] : basis));
  return decisions.length === 0 ? 'given' : [...new Set(decisions)];
}

function fieldOf(steps: readonly Step[], name: string): Step | undefined {
  const last = steps.at(-1);
  const child = (last?.node['properties'] as Json | undefined)?.[name];
  return last !== undefined && isObject(child) ? { node: child, depth: last.depth + 1, isOwn: false } : undefined;
}

/** What each component on the way says of itself where it is left, the last one first. */
function selvesOf(steps: readonly Step[]): (Basis | undefined)[] {
  const selves: (Basis | undefined)[] = [];
  let said: Basis | undefined;
  let decided: Basis | undefined;
  let fallback: Basis | undefined;
  for (const [index, { node, isOwn, otherwise }] of steps.entries()) {
    const marks = marksOf(node);
    said = toBasis(marks['self']) ?? (isOwn ? undefined : said);
    decided = toBasis(node['x-decision']) ?? (isOwn ? undefined : decided);
    fallback = otherwise ?? (isOwn ? undefined : fallback);
    // What a refusal rests on by default is not said of the schemas that it refers to.
    if (index === steps.length - 1) selves.unshift(said ?? decided ?? fallback);
    else if (steps[index + 1]?.isOwn === true) selves.unshift(said ?? decided);
  }
  return selves;
}

/**
 * What is said of a keyword by name: beside a reference before what it refers to, then further out in the same component,
 * then for the contract as a whole.
 */
function keywordOf(
  document: Json,
  steps: readonly Step[],
  key: string,
  name: string | undefined,
  value: unknown,
): Basis | undefined {
  const depth = steps.at(-1)?.depth;
  const here = steps.filter((step) => step.depth === depth);
  const start = steps.findLastIndex((step) => step.isOwn);
  const around = steps.slice(Math.max(start, 0)).toReversed();
  for (const { node } of [...here, ...around, { node: document }]) {
    const said = readKeyword(marksOf(node)[key], name, value);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** One basis; or for `required` one for each name; or where a text breaks what is given of its form, and otherwise. */
function readKeyword(said: unknown, name: string | undefined, value: unknown): Basis | undefined {
  if (!isObject(said)) return toBasis(said);
  if (name !== undefined && Object.hasOwn(said, name)) return toBasis(said[name]);
  if (typeof said['given'] !== 'string') return undefined;
  const keepsGiven = typeof value !== 'string' || new RegExp(said['given'], 'u').test(value);
  return keepsGiven ? toBasis(said['otherwise']) : 'given';
}
