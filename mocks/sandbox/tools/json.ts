import type { JsonBounds } from '../../../contract/bounds.ts';
import { readJson as readText } from '../../../contract/json.ts';
import { invalid } from './problem.ts';

/**
 * Reads a JSON text from outside.
 * @throws Problem 400 with everything that contract/json.ts finds wrong with it.
 */
export function readJson(text: string, bounds: JsonBounds): unknown {
  const reading = readText(text, bounds);
  if ('faults' in reading) throw invalid(reading.faults);
  return reading.value;
}

/**
 * Turns a value of this program into JSON and reads that. So it can only contain what a text can, and the program can't
 * change it later.
 * @throws Problem 400 as {@link readJson} does, and for numbers that JSON can't express.
 */
export function readAsJson(value: unknown, bounds: JsonBounds): unknown {
  const check = (_key: string, inside: unknown): unknown => {
    if (typeof inside === 'number' && !Number.isFinite(inside))
      throw refuse(`holds ${inside}, which JSON doesn't have`);
    return inside;
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(value, check);
  } catch (error) {
    // A cycle, a bigint, or a getter that throws.
    const isOurs = error instanceof Error && error.name === 'Problem';
    throw isOurs ? error : refuse("can't be written as JSON");
  }
  return readJson(text ?? 'null', bounds);
}

function refuse(message: string) {
  return invalid([{ in: 'body', pointer: '', message }]);
}
