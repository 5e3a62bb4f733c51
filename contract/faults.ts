import type { ErrorObject } from 'ajv/dist/2020.js';
import { maxFaults } from './bounds.ts';
import type { SchemaErrors } from './contract.ts';
import { pointerSegment } from './pointer.ts';

/** A fault of a request: its place, and what is wrong (D05). */
export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** JSON pointer (RFC 6901) inside `in`: `/limit`, `/attestation/credentialId`. Empty for the whole. */
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

/** A fault with facts that only tools for recorded traffic show. */
export interface FoundFault extends Fault {
  readonly rule: FaultRule;
  /** The value found, with its secrets; absent if there is none. */
  readonly value?: unknown;
}

type Side = 'request' | 'response';

/**
 * Turns the validator's errors into `details.errors` (D05).
 * @param side whose value it is. The message for an undeclared field names it.
 */
export function toFaults(place: Fault['in'], errors: SchemaErrors, side: Side = 'request'): Fault[] {
  return explain(place, errors, side).map(({ in: where, pointer, message }) => ({ in: where, pointer, message }));
}

/**
 * The same with rule and value. Each fault is reported once, even if several keywords find it. If there are many, the
 * first ones are reported.
 */
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

/** The name of a field that a closed object doesn't allow. */
function extraField({ params }: ErrorObject): string | undefined {
  return (params['additionalProperty'] ?? params['unevaluatedProperty']) as string | undefined;
}

/** Keywords whose message a schema can replace with its `x-fault`. */
const spoken = /^(pattern|format|(min|max)(Length|Properties))$/;

function messageOf(error: ErrorObject, side: Side): string {
  const { keyword, params } = error;
  // The validator is verbose, so every error has its schema, and a message.
  const schema = error.parentSchema as Record<string, unknown>;
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
      // A missing field gets the same message, whether or not it is a union's tag.
      if (params['tagValue'] === undefined) return 'is required';
      return `must be one of ${(schema['discriminator'] as { tags: string[] }).tags.join(', ')}`;
    default:
      return error.message as string;
  }
}

/**
 * Removes errors that repeat a fault: an `if` that failed because of faults inside it; an undeclared field that its own
 * schema has refused; a list of allowed values if the type is already wrong or a narrower list applies.
 */
function withoutEchoes(errors: SchemaErrors): ErrorObject[] {
  const real = errors.filter(({ keyword }) => keyword !== 'unevaluatedProperties');
  // Grouped by place instead of comparing all pairs, because a body may have thousands of faults.
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
    // A tag is a const and an enum with one value.
    if (keyword === 'enum' && constants.has(instancePath)) return false;
    return !isChoice(error) || choices(error) <= (narrowest.get(instancePath) as number);
  });
}

/** The pointers and all pointers above them. */
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
