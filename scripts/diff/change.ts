/** The words in which a comparison is given. */
import type { Place } from '../lib/places.ts';

/**
 * How much a change means to a client that keeps to the older contract: it can fail; what it does still fits but may
 * not mean or bring what it did; it goes on as before; only words changed. The worst first.
 */
export const levels = ['breaking', 'warning', 'compatible', 'none'] as const;

export type Level = (typeof levels)[number];

export interface Change {
  readonly level: Level;
  /** The operation, schema or other component it belongs to. */
  readonly subject: string;
  /** JSON Pointer into the bundle of the newer side; of the older one for what is gone. */
  readonly pointer: string;
  readonly what: string;
  /** The operations that have what changed. */
  readonly operations?: readonly string[];
  /** Where it stands in the newer side's files, if these lie here. */
  readonly place?: Place;
  /** The name of what we rate otherwise than the tool, if we do. */
  readonly correction?: string;
}
