/** The types that describe a comparison. */
import type { Place } from '../lib/places.ts';

/**
 * How a change affects a client that keeps to the older contract, worst first: it can fail; its calls still fit but may
 * mean or return something else; it works as before; only descriptions changed.
 */
export const levels = ['breaking', 'warning', 'compatible', 'none'] as const;

export type Level = (typeof levels)[number];

export interface Change {
  readonly level: Level;
  /** The operation, schema or other component that it belongs to. */
  readonly subject: string;
  /** JSON Pointer into the newer bundle, or into the older one if the element was removed. */
  readonly pointer: string;
  readonly what: string;
  /** The operations that the change affects. */
  readonly operations?: readonly string[];
  /** Its place in the newer side's files, if they are on this machine. */
  readonly place?: Place;
  /** The name of our correction, if we rate the change differently from the tool. */
  readonly correction?: string;
}
