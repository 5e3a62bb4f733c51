/**
 * Resolves the basis of a part of the contract from everything that leads to it (openapi/README.md, "Given or
 * assumed").
 */
import type { Json } from '../document.ts';
import { type Basis, isObject, marksOf, toBasis } from './marks.ts';
import type { Step } from './steps.ts';

/**
 * Keywords that a given schema doesn't settle. A given field isn't therefore required, and other fields may still
 * exist.
 */
const withOwnBasis = new Set(['required', 'additionalProperties', 'unevaluatedProperties']);

/**
 * The basis of a keyword or rule at the end of the steps. It is given only if every step to it is given.
 * @param key a keyword of the schema, the name of a rule, or `self` for the part itself.
 * @param name the field, if it is a required one.
 * @param value the value found, which `x-basis` may depend on.
 * @returns undefined if the contract doesn't state it.
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
  const ownBases = ownBasesOf(whole);
  const fieldIsAssumed = field !== undefined && Array.isArray(ownBases[0]);
  const own = fieldIsAssumed || key === 'self' ? undefined : keywordOf(document, steps, key, name, value);
  const isGiven = ownBases[0] === 'given';
  if (own === undefined && (ownBases[0] === undefined || (isGiven && withOwnBasis.has(key)))) return undefined;
  const decisions = [own, ...ownBases].flatMap((basis) => (basis === undefined || basis === 'given' ? [] : basis));
  return decisions.length === 0 ? 'given' : [...new Set(decisions)];
}

function fieldOf(steps: readonly Step[], name: string): Step | undefined {
  const last = steps.at(-1);
  const child = (last?.node['properties'] as Json | undefined)?.[name];
  return last !== undefined && isObject(child) ? { node: child, depth: last.depth + 1, isOwn: false } : undefined;
}

/** What each component on the way states about itself at the point where the way leaves it, the last one first. */
function ownBasesOf(steps: readonly Step[]): (Basis | undefined)[] {
  const ownBases: (Basis | undefined)[] = [];
  let said: Basis | undefined;
  let decided: Basis | undefined;
  let fallback: Basis | undefined;
  for (const [index, { node, isOwn, otherwise }] of steps.entries()) {
    const marks = marksOf(node);
    said = toBasis(marks['self']) ?? (isOwn ? undefined : said);
    decided = toBasis(node['x-decision']) ?? (isOwn ? undefined : decided);
    fallback = otherwise ?? (isOwn ? undefined : fallback);
    // The default basis of a refusal doesn't apply to the schemas that it refers to.
    if (index === steps.length - 1) ownBases.unshift(said ?? decided ?? fallback);
    else if (steps[index + 1]?.isOwn === true) ownBases.unshift(said ?? decided);
  }
  return ownBases;
}

/**
 * What the contract states about a keyword by name: first beside a reference, then behind it, then further out in the
 * same component, then for the contract as a whole.
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

/**
 * Reads one basis. For `required` there may be one per name. For a text, the basis depends on whether it breaks the
 * given form.
 */
function readKeyword(said: unknown, name: string | undefined, value: unknown): Basis | undefined {
  if (!isObject(said)) return toBasis(said);
  if (name !== undefined && Object.hasOwn(said, name)) return toBasis(said[name]);
  if (typeof said['given'] !== 'string') return undefined;
  const keepsGiven = typeof value !== 'string' || new RegExp(said['given'], 'u').test(value);
  return keepsGiven ? toBasis(said['otherwise']) : 'given';
}
