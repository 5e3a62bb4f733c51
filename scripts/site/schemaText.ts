/** Describes the contract's schemas for the Markdown pages. */
import { type ContractDocument, resolveRef, type Schema, type SchemaObject } from '../lib/contract.ts';
import { joinParts, table } from './markdown.ts';

/** Makes a link to another schema's page. */
export type SchemaLink = (name: string) => string;

const bounds: readonly [keyword: string, says: (value: unknown) => string][] = [
  ['format', (value) => `format \`${value}\``],
  ['pattern', (value) => `matches \`${value}\``],
  ['minLength', (value) => `at least ${count(value, 'character')}`],
  ['maxLength', (value) => `at most ${count(value, 'character')}`],
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `more than ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['exclusiveMaximum', (value) => `less than ${value}`],
  ['minItems', (value) => `at least ${count(value, 'item')}`],
  ['maxItems', (value) => `at most ${count(value, 'item')}`],
  ['minProperties', (value) => `at least ${count(value, 'field')}`],
  ['maxProperties', (value) => `at most ${count(value, 'field')}`],
  ['default', (value) => `default \`${JSON.stringify(value)}\``],
];

function count(value: unknown, unit: string): string {
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}

/** The type of a value in a few words, with links to the schemas that it names. */
export function typeText(schema: Schema | undefined, link: SchemaLink): string {
  if (schema === undefined || typeof schema === 'boolean') return 'any';
  if (schema.$ref !== undefined) return link(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const members = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (members !== undefined) return `one of ${members.map((member) => typeText(member, link)).join(', ')}`;
  if (schema.allOf !== undefined) return schema.allOf.map((part) => typeText(part, link)).join(' and ');
  const type = schema['type'];
  if (type === 'array') return `list of ${typeText(schema['items'] as Schema | undefined, link)}`;
  const name = Array.isArray(type) ? type.join(' or ') : String(type ?? 'any');
  const limits = limitsOf(schema);
  return limits.length === 0 ? name : `${name} (${limits.join(', ')})`;
}

/** The limits that a schema sets to its value. */
export function limitsOf(schema: SchemaObject): string[] {
  return bounds.flatMap(([keyword, says]) => (schema[keyword] === undefined ? [] : [says(schema[keyword])]));
}

/**
 * A schema as Markdown: its description, then its fields as a table, its values, or its alternatives. Named schemas
 * that it refers to are linked, not repeated.
 */
export function schemaText(contract: ContractDocument, schema: Schema | undefined, link: SchemaLink): string {
  if (schema === undefined || typeof schema === 'boolean') return '';
  if (schema.$ref !== undefined) return link(schema.$ref.split('/').at(-1) ?? '');
  const description = textOf(schema);
  const forms = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  const { propertyName } = (schema['discriminator'] ?? {}) as { propertyName?: string };
  const told = propertyName === undefined ? 'One of:' : `One of these, told apart by \`${propertyName}\`:`;
  const parts = schema.allOf?.map((part) => schemaText(contract, part, link));
  const isPlain = schema.properties === undefined && forms === undefined && parts === undefined;
  return joinParts([
    description,
    forms === undefined ? undefined : [told, '', ...forms.map((form) => `- ${typeText(form, link)}`)].join('\n'),
    parts === undefined ? undefined : joinParts(parts).trimEnd(),
    fieldTable(contract, schema, link),
    isPlain ? `Type: ${typeText(schema, link)}` : undefined,
  ]).trimEnd();
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The fields of an object. Fields of unnamed inner objects follow as `outer.inner`. */
function fieldTable(contract: ContractDocument, schema: SchemaObject, link: SchemaLink): string {
  const rows = fieldsOf(schema).map(({ name, schema: field, isRequired }) => [
    `\`${name}\``,
    typeText(field, link),
    isRequired ? 'yes' : 'no',
    describe(contract, field),
  ]);
  return table(['Field', 'Type', 'Required', 'Meaning'], rows);
}

function fieldsOf(schema: SchemaObject, before = ''): Field[] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const own: Field = { name: before + name, schema: field, isRequired: required.includes(name) };
    if (typeof field === 'boolean') return [own];
    const items = field['items'] as SchemaObject | undefined;
    if (field.properties !== undefined) return [own, ...fieldsOf(field, `${before}${name}.`)];
    return items?.properties === undefined ? [own] : [own, ...fieldsOf(items, `${before}${name}[].`)];
  });
}

function describe(contract: ContractDocument, schema: Schema): string {
  if (typeof schema === 'boolean') return '';
  const own = textOf(schema);
  return own === '' && schema.$ref !== undefined ? textOf(resolveRef<SchemaObject>(contract, schema)) : own;
}

function textOf(schema: SchemaObject): string {
  return typeof schema['description'] === 'string' ? schema['description'].trim() : '';
}
