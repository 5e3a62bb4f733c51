import type { ErrorObject } from 'ajv/dist/2020.js';
import { maxFaults } from './bounds.ts';
import type { SchemaErrors } from './contract.ts';
import { pointerSegment } from './pointer.ts';

/** One fault of a request: where it was found and what is wrong with it (D05). */
export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** JSON pointer (RFC 6901) below `in`: `/limit`, `/attestation/credentialId`. Empty for the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** The rule that a fault breaks: one of ours, or a keyword of the schema. */
export type FaultRule =
  | 'undocumented-parameter'
  | 'repeated-parameter'
  | 'unkept-value'
  | 'media-type'
  | 'body-too-large'
  | 'missing-body'
  | 'not-json'
  | `schema/${string}`;

/** A fault with what only those are told who look at traffic from outside. */
export interface FoundFault extends Fault {
  readonly rule: FaultRule;
  /** What is there, secrets and all; absent when nothing is. */
  readonly value?: unknown;
}

type Side = 'request' | 'response';

/**
 * What the validator found, in the words and shape of `details.errors` (D05).
 * @param side whose value it is, which the sentence for a field too many names.
 */
export function toFaults(place: Fault['in'], errors: SchemaErrors, side: Side = 'request'): Fault[] {
  return explain(place, errors, side).map(({ in: where, pointer, message }) => ({ in: where, pointer, message }));
}

/** The same with rule and value. What is wrong is told once, however many keywords notice it, and of much the first. */
export function explain(place: Fault['in'], errors: SchemaErrors, side: Side = 'request'): FoundFault[] {
  if (errors.length === 0) return [];
  const faults = withoutEchoes(errors).map((error) => describe(place, error, side));
  const told = new Map(faults.map((fault) => [JSON.stringify([fault.pointer, fault.message]), fault]));
  return [...told.values()].slice(0, maxFaults);
}

function describe(place: Fault['in'], error: ErrorObject, side: Side): FoundFault {
  const { keyword, params, instancePath, data } = error;
  const name = extraField(error) ?? params['tag'];
  const below = name ?? params['missingProperty'];
  const fault = {
    in: place,
    pointer: typeof below === 'string' ? `${instancePath}/${pointerSegment(below)}` : instancePath,
    message: messageOf(error, side),
    rule: `schema/${keyword}`,
  } as const;
  // If a field is undeclared or a tag is wrong, the value is that field's.
  const value = typeof name === 'string' ? (data as Record<string, unknown>)[name] : data;
  return keyword === 'required' || value === undefined ? fault : { ...fault, value };
}

/** The name of a field that a closed object does not have. */
function extraField({ params }: ErrorObject): string | undefined {
  return (params['additionalProperty'] ?? params['unevaluatedProperty']) as string | undefined;
}

/** The keywords that a schema can put into words of its own, in `x-fault`. */
const spoken = /^(pattern|format|(min|max)(Length|Properties))$/;

function messageOf(error: ErrorObject, side: Side): string {
  const { keyword, params } = error;
  const schema = (error.parentSchema ?? {}) as Record<string, unknown>;
  if (spoken.test(keyword) && typeof schema['x-fault'] === 'string') return schema['x-fault'];
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `is not a field of this ${side === 'request' ? 'request' : 'closed object'}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'discriminator':
      // A field that is missing is told alike, whether or not it tells the members of a union apart.
      if (params['tagValue'] === undefined) return 'is required';
      return `must be one of ${(schema['discriminator'] as { tags: string[] }).tags.join(', ')}`;
    default:
      return error.message ?? 'is not acceptable';
  }
}

/**
 * Without what tells a fault again: `if`, by the faults inside it; a field of a closed object that its own schema refused
 * and which therefore counts as none of the object's; the values that may stand somewhere, when the type is wrong already
 * or a narrower list says which.
 */
function withoutEchoes(errors: SchemaErrors): ErrorObject[] {
  const real = errors.filter(({ keyword }) => keyword !== 'unevaluatedProperties');
  // By place, and not each with all others: a body may have thousands of faults.
  const here = new Map<string, ErrorObject[]>();
  for (const error of real) {
    const found = here.get(error.instancePath);
    if (found === undefined) here.set(error.instancePath, [error]);
    else found.push(error);
  }
  const narrowest = new Map<string, number>();
  const constants = new Set<string>();
  for (const [place, found] of here) {
    const isWrongType = found.some(({ keyword }) => keyword === 'type');
    narrowest.set(place, isWrongType ? 0 : Math.min(...found.filter(isChoice).map(choices)));
    if (found.some(({ keyword }) => keyword === 'const')) constants.add(place);
  }
  const faulty = real.length === errors.length ? undefined : placesAbove(here.keys());
  return errors.filter((error) => {
    const { keyword, instancePath } = error;
    if (keyword === 'if') return false;
    if (keyword === 'unevaluatedProperties') {
      return faulty?.has(`${instancePath}/${pointerSegment(String(extraField(error)))}`) !== true;
    }
    // A tag is a const and an enum of one.
    if (keyword === 'enum' && constants.has(instancePath)) return false;
    return !isChoice(error) || choices(error) <= (narrowest.get(instancePath) ?? 0);
  });
}

/** Pointers with all that are above them. */
function placesAbove(pointers: Iterable<string>): Set<string> {
  const places = new Set<string>();
  for (const pointer of pointers) {
    for (let at = pointer; at !== '' && !places.has(at); at = at.slice(0, at.lastIndexOf('/'))) places.add(at);
  }
  return places;
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'enum' || keyword === 'const';
}

function choices({ params }: ErrorObject): number {
  return (params['allowedValues'] as readonly unknown[] | undefined)?.length ?? 1;
}
