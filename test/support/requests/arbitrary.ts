/** Generates values that a schema of the contract accepts, from the schema itself. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { addContractFormats } from '../../../contract/formats.ts';
import { pointTo } from '../../../contract/pointer.ts';
import { addUniqueItems } from '../../../contract/uniqueItems.ts';
import { bundle } from '../expect/apiError.ts';
import type { Json } from './targets.ts';
import { letter, text } from './texts.ts';

/** A schema of the bundled contract; the keywords that are read here. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly oneOf?: readonly SchemaNode[];
  readonly [keyword: string]: unknown;
}

const ajv = new Ajv2020({ strict: false });
addContractFormats(ajv);
addUniqueItems(ajv);
ajv.addSchema(bundle, 'contract');

/** Follows a schema's references. Keywords beside a reference are kept. */
export function resolved(schema: SchemaNode): SchemaNode {
  const { $ref, ...beside } = schema;
  if ($ref === undefined) return schema;
  const target = resolved(pointTo(bundle, $ref) as SchemaNode);
  return {
    ...target,
    ...beside,
    ...(target.properties && { properties: { ...target.properties, ...beside.properties } }),
    ...(target.required && { required: [...target.required, ...(beside.required ?? [])] }),
  };
}

/** A validator's faults of a value; empty if it fits the schema. */
export function misfits(schema: SchemaNode, value: unknown): string[] {
  const validate = compiled(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function compiled(schema: SchemaNode): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')));
}

/** Generates the values of a schema. `name` is the name of their field or parameter. */
export type Values = (schema: SchemaNode, name?: string) => fc.Arbitrary<Json>;

/** Replaces or extends what is generated for a schema; `plain` generates the default. */
export type Preference = (schema: SchemaNode, name: string, plain: fc.Arbitrary<Json>) => fc.Arbitrary<Json>;

const checkedValues = generator((schema, _name, plain) => {
  const validate = compiled(schema);
  return plain.filter((value) => validate(value));
});

/** Valid values of a schema. Made once per schema, and checked by a validator. */
export function valuesOf(schema: SchemaNode): fc.Arbitrary<Json> {
  return checkedValues(schema);
}

/** A generator with preferences, which must fit the schema. Each schema's generator is made once. */
export function generator(prefer: Preference): Values {
  const made = new Map<string, fc.Arbitrary<Json>>();
  const values: Values = (schema, name = '') => {
    const key = `${name} ${JSON.stringify(schema)}`;
    let known = made.get(key);
    if (known === undefined) {
      known = prefer(schema, name, build(resolved(schema), name, values));
      made.set(key, known);
    }
    return known;
  };
  return values;
}

function build(schema: SchemaNode, name: string, values: Values): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map((member) => values(member, name)));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => values({ ...schema, type }, name)));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'string':
      return text(schema);
    case 'integer':
      return integer(schema);
    case 'number':
      return number(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return list(schema, values(schema.items ?? {}, name));
    case 'object':
      return object(schema, values);
    default:
      throw new Error(`No values for ${JSON.stringify(schema)}`);
  }
}

/** At most six decimals, so that no digit is lost in conversions. */
function number({ minimum = -1e6, maximum = 1e6 }: SchemaNode): fc.Arbitrary<number> {
  const decimals = fc.integer({ min: minimum * 1e6, max: maximum * 1e6 }).map((millionths) => millionths / 1e6);
  return fc.oneof(fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }), decimals);
}

/** Small numbers as often as numbers from the whole range. */
function integer({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: SchemaNode): fc.Arbitrary<number> {
  const all = fc.integer({ min: minimum, max: maximum });
  const top = minimum + 1000;
  return maximum <= top ? all : fc.oneof(fc.integer({ min: minimum, max: top }), all);
}

function list(
  { minItems = 0, maxItems = 5, uniqueItems }: SchemaNode,
  items: fc.Arbitrary<Json>,
): fc.Arbitrary<Json[]> {
  const bounds = { minLength: minItems, maxLength: maxItems };
  const selector = (item: Json) => JSON.stringify(item);
  return uniqueItems === true ? fc.uniqueArray(items, { ...bounds, selector }) : fc.array(items, bounds);
}

function object(schema: SchemaNode, values: Values): fc.Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties: others, ...bounds } = schema;
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = bounds;
  const fields = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, values(one, name)]));
  const known = fc.record(fields, { requiredKeys: [...new Set(required)] as [], noNullPrototype: true });
  const isMap = typeof others === 'object';
  const all = isMap ? fc.tuple(map(others, values), known).map((both) => Object.assign({}, ...both)) : known;
  return all.filter((value) => {
    const count = Object.keys(value).length;
    return count >= minProperties && count <= maxProperties;
  }) as never;
}

function map(schema: SchemaNode, values: Values): fc.Arbitrary<object> {
  const keys = fc.string({ unit: letter, minLength: 1 });
  return fc.dictionary(keys, values(schema), { maxKeys: 5, noNullPrototype: true });
}

/** A value that its schema refuses, and all pointers that the error must name. */
export interface BrokenValue {
  readonly what: string;
  readonly value: Json;
  readonly pointers: readonly string[];
  /** The schema's own sentence for this fault. */
  readonly fault?: string;
}

/** Every way to break a valid value in one place: a missing or unknown field, a wrong form, length, type or choice. */
export function brokenValues(schema: SchemaNode, value: Json, pointer = ''): BrokenValue[] {
  const node = resolved(schema);
  const wrong = (what: string, broken: Json, fault?: unknown): BrokenValue => {
    const sentence = typeof fault === 'string' ? { fault } : {};
    return { what: `${pointer}: ${what}`, value: broken, pointers: [pointer], ...sentence };
  };
  if (node.oneOf !== undefined) return [wrong('no object', 'text'), ...brokenUnions(node, value as Fields, pointer)];
  if (node.const !== undefined) return [wrong('another constant', 'ANOTHER')];
  if (node.enum !== undefined) return [wrong('no choice', 'ANOTHER'), wrong('null', null)];
  switch (node.type) {
    case 'string':
      return [wrong('a number', 5), wrong('null', null), ...brokenTexts(node, value as string, wrong)];
    case 'array':
      return brokenLists(node, value as Json[], pointer, wrong);
    case 'object':
      return [wrong('no object', 'text'), ...brokenObjects(node, value as Fields, pointer)];
    default:
      return [wrong('text', 'text'), wrong('null', null)];
  }
}

type Fields = Readonly<Record<string, Json>>;
type Wrong = (what: string, broken: Json, fault?: unknown) => BrokenValue;

function brokenTexts(node: SchemaNode, value: string, wrong: Wrong): BrokenValue[] {
  const { pattern, format, minLength = 0, maxLength } = node;
  const spoiled = `${value} !`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(spoiled)) {
    return [wrong('off the pattern', spoiled, node['x-fault'])];
  }
  const blank = ' '.repeat(Math.max(minLength, 1));
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(blank)) {
    return [wrong('blank', blank, node['x-fault']), wrong('empty', '', node['x-fault'])];
  }
  if (format !== undefined) return [wrong('off the format', spoiled, node['x-fault'])];
  return [
    ...(minLength > 0 ? [wrong('too short', '')] : []),
    ...(maxLength === undefined ? [] : [wrong('too long', '\u{1f600}'.repeat(maxLength + 1))]),
  ];
}

function brokenLists(node: SchemaNode, value: Json[], pointer: string, wrong: Wrong): BrokenValue[] {
  const [first = anyValue(node.items ?? {})] = value;
  const inside = brokenValues(node.items ?? {}, first, `${pointer}/0`);
  return [
    wrong('no list', 'text'),
    ...((node.minItems ?? 0) > 0 ? [wrong('empty', [])] : []),
    ...(node.uniqueItems === true ? [wrong('an item twice', [first, first])] : []),
    ...inside.map((broken) => ({ ...broken, value: [broken.value] })),
  ];
}

function brokenObjects(node: SchemaNode, value: Fields, pointer: string): BrokenValue[] {
  const { properties = {}, required = [], maxProperties = Number.POSITIVE_INFINITY } = node;
  const missing = required.map((name) => {
    const { [name]: _gone, ...rest } = value;
    return { what: `${pointer}/${name}: missing`, value: rest, pointers: [`${pointer}/${name}`] };
  });
  const unknown = node['additionalProperties'] === false ? [withForeign(node, value, pointer, 'surprise')] : [];
  const isFull = Object.keys(value).length >= maxProperties;
  const inside = Object.entries(properties)
    .filter(([name]) => name in value || !isFull)
    .flatMap(([name, schema]) =>
      brokenValues(schema, value[name] ?? anyValue(schema), `${pointer}/${name}`).map((broken) => ({
        ...broken,
        value: { ...value, [name]: broken.value },
      })),
    );
  return [...missing, ...unknown, ...inside];
}

/** Adds fields of the union's other members, which this member doesn't have. */
function brokenUnions(node: SchemaNode, value: Fields, pointer: string): BrokenValue[] {
  const tag = (node['discriminator'] as { propertyName: string }).propertyName;
  const members = (node.oneOf ?? []).map(resolved);
  const own = members.find(({ properties }) => properties?.[tag]?.const === value[tag]) as SchemaNode;
  const names = new Set(members.flatMap(({ properties = {} }) => Object.keys(properties)));
  const { [tag]: _gone, ...untagged } = value;
  return [
    { what: `${pointer}/${tag}: missing`, value: untagged, pointers: [`${pointer}/${tag}`] },
    { what: `${pointer}/${tag}: unknown`, value: { ...value, [tag]: 'ANOTHER' }, pointers: [`${pointer}/${tag}`] },
    ...[...names]
      .filter((name) => own.properties?.[name] === undefined)
      .map((name) => withForeign(own, value, pointer, name)),
    ...brokenObjects(own, value, pointer).filter(({ pointers }) => !pointers.includes(`${pointer}/${tag}`)),
  ];
}

function withForeign(node: SchemaNode, value: Fields, pointer: string, name: string): BrokenValue {
  const isFull = Object.keys(value).length >= (node.maxProperties ?? Number.POSITIVE_INFINITY);
  const pointers = [...(isFull ? [pointer] : []), `${pointer}/${name}`];
  return { what: `${pointer}/${name}: not a field`, value: { ...value, [name]: 'text' }, pointers };
}

const chosen = new WeakMap<SchemaNode, Json>();

/** One valid value, the same each time. */
export function anyValue(schema: SchemaNode): Json {
  let value = chosen.get(schema);
  if (value === undefined) {
    value = fc.sample(valuesOf(schema), { seed: 1, numRuns: 1 })[0] as Json;
    chosen.set(schema, value);
  }
  return value;
}
