/** Derives the schema of a tool's output from the contract: the schema of each field of a projection. */
import { compactSchema, follow, type Json } from '../../../mcp/compact.ts';
import type { FieldPlan, ProjectionPlan } from './projections.ts';

/** Text from outside is cut to this many characters, and its name marks it as untrusted. */
export const untrustedLength = 200;
const endingLength = 4;

const untrusted = {
  type: 'object',
  required: ['untrustedText'],
  properties: { untrustedText: { type: 'string', maxLength: untrustedLength } },
};
const amount = {
  type: 'object',
  required: ['amount', 'currency', 'readable'],
  properties: {
    amount: { type: 'integer' },
    currency: { type: 'string', maxLength: 12 },
    readable: { type: 'string', maxLength: 60 },
  },
};
/** A model needs no longer values than this. */
const maxValueLength = 400;

/** Where a pointer leads, if each union on the way is replaced with one of its members. */
interface Place {
  readonly schema: Json | undefined;
  readonly isAlways: boolean;
}

/** Where a pointer leads over all members of the unions. */
interface Places {
  readonly schemas: readonly Json[];
  readonly isAlways: boolean;
}

/** A longer enum doesn't help a model. */
const maxWords = 20;

/**
 * The schema of a projection's result.
 * @throws Error for a place that the contract doesn't have
 */
export function outputOf(document: Json, schema: unknown, plan: ProjectionPlan): Json {
  const members = membersOf(document, schema);
  const fields = Object.entries(plan).map(([name, field]) => {
    const perMember = members.map((member) => placesOf(document, member, field));
    const found = perMember.flat().flatMap(({ schemas }) => schemas);
    if (found.length === 0) throw new Error(`No reply has ${field.at.join(' or ')}, which the tool's ${name} needs`);
    const isAlways = perMember.every((places) => places.some(({ isAlways: always }) => always));
    return { name, isAlways, shown: shownAs(document, field, found) };
  });
  return {
    type: 'object',
    required: fields.filter(({ isAlways }) => isAlways).map(({ name }) => name),
    properties: Object.fromEntries(fields.map(({ name, shown }) => [name, shown])),
  };
}

/** The places of a field's alternatives. A place is always there if every member of the unions on its way has it. */
function placesOf(document: Json, member: Json, { at }: FieldPlan): Places[] {
  return at.map((pointer) => {
    const found = walk(document, member, pointer.slice(1).split('/'));
    return {
      schemas: found.flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
      isAlways: found.every((one) => one.isAlways),
    };
  });
}

function walk(document: Json, schema: Json, [name, ...rest]: readonly string[]): Place[] {
  if (name === undefined) return [{ schema, isAlways: true }];
  return membersOf(document, schema).flatMap((member): Place[] => {
    const properties = (member['properties'] ?? {}) as Json;
    const below = member['type'] === 'array' ? member['items'] : properties[name];
    if (below === undefined) return [{ schema: undefined, isAlways: false }];
    const isRequired = ((member['required'] ?? []) as string[]).includes(name);
    return walk(document, follow(document, below), rest).map((place) => ({
      schema: place.schema,
      isAlways: place.isAlways && isRequired,
    }));
  });
}

function membersOf(document: Json, schema: unknown): Json[] {
  const whole = follow(document, schema);
  const { oneOf } = whole;
  return Array.isArray(oneOf) ? oneOf.flatMap((one) => membersOf(document, one)) : [whole];
}

function shownAs(document: Json, { kind }: FieldPlan, found: readonly Json[]): Json {
  if (kind === 'money') return amount;
  if (kind === 'text') return untrusted;
  if (kind === 'ending') return { type: 'string', maxLength: endingLength + 1 };
  const shown = found.map((schema) => bare(compactSchema(document, schema)));
  const [first] = shown as [Json];
  const words = shown.map((one) => one['enum'] as readonly unknown[] | undefined);
  const all = [...new Set(words.flat())];
  if (words.every((one) => one !== undefined) && all.length <= maxWords) return { ...first, enum: all };
  const { enum: _, ...open } = first;
  return first['type'] === 'string' ? { ...open, maxLength: maxValueLength } : open;
}

/** The schema of a value without keywords that only a sender needs. */
function bare({ type, enum: words, items }: Json): Json {
  if (type === 'array') return { type, items: bare(items as Json) };
  if (type !== 'string') return { type };
  return words === undefined ? { type, maxLength: maxValueLength } : { type, enum: words };
}
