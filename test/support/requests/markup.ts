/** A text in every place of a request that takes any text, found by the schema. */
import { misfits, resolved, type SchemaNode } from './arbitrary.ts';
import type { Json } from './targets.ts';

/** Whether nothing in the schema of a string forbids the text: no choice, pattern, format or length. */
function takes(node: SchemaNode, text: string): boolean {
  return node.type === 'string' && misfits(node, text).length === 0;
}

/** The member of a union in the place's name, as members may have fields of the same name. */
function placeIn(member: SchemaNode, place: string): string {
  return `${place} as ${member.$ref?.split('/').at(-1) ?? 'another'}`;
}

/** Every place of a schema that takes the text. */
export function placesOf(schema: SchemaNode, text: string, place = ''): string[] {
  const node = resolved(schema);
  if (node.oneOf !== undefined) return node.oneOf.flatMap((member) => placesOf(member, text, placeIn(member, place)));
  if (node.type === 'array') return placesOf(node.items ?? {}, text, `${place}/-`);
  if (node.properties === undefined) return takes(node, text) ? [place] : [];
  return Object.entries(node.properties).flatMap(([name, one]) => placesOf(one, text, `${place}/${name}`));
}

/** A value that fits the schema, with the text in all those of its places that take it, and what these are. */
export function filled(schema: SchemaNode, value: Json, text: string, place = ''): { value: Json; places: string[] } {
  const node = resolved(schema);
  if (node.oneOf !== undefined) {
    const member = node.oneOf.find((one) => misfits(one, value).length === 0);
    return member === undefined ? { value, places: [] } : filled(member, value, text, placeIn(member, place));
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => filled(node.items ?? {}, item, text, `${place}/-`));
    return { value: items.map((item) => item.value), places: items.flatMap(({ places }) => places) };
  }
  if (typeof value === 'object' && value !== null && node.properties !== undefined) {
    const { properties } = node;
    // What the value leaves out is put in.
    const absent = Object.keys(properties).filter(
      (name) => !(name in value) && takes(resolved(properties[name] ?? {}), text),
    );
    const fields = [...Object.entries(value), ...absent.map((name) => [name, text] as const)].map(
      ([name, one]) => [name, filled(properties[name] ?? {}, one, text, `${place}/${name}`)] as const,
    );
    return {
      value: Object.fromEntries(fields.map(([name, one]) => [name, one.value])),
      places: fields.flatMap(([, { places }]) => places),
    };
  }
  return typeof value === 'string' && takes(node, text) ? { value: text, places: [place] } : { value, places: [] };
}
