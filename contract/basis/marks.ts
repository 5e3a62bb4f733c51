/** The syntax of `x-basis`. */
import type { Json } from '../document.ts';

/** Given by the interface, or the numbers of the decisions behind it, the nearest first. */
export type Basis = 'given' | readonly string[];

/** `x-basis` in its long form. */
export function marksOf(node: Json): Json {
  const said = node['x-basis'];
  return isObject(said) ? said : { self: said };
}

/** Reads a basis as `x-basis` and `x-decision` spell it. */
export function toBasis(said: unknown): Basis | undefined {
  if (said === 'given') return 'given';
  if (typeof said === 'string') return [said];
  return Array.isArray(said) ? said.map(String) : undefined;
}

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements of a list; none if the value isn't a list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
