/** Puts a text in every place of a request that accepts any text, found by the schema. */
import { misfits, resolved, type SchemaNode } from './arbitrary.ts';
import type { Json } from './targets.ts';

/** Whether a string's schema allows the text: it has no enum, pattern, format or length that forbids it. */
function takes(node: SchemaNode, text: string): boolean {
  return node.type === 'string' && misfits(node, text).length === 0;
}

/** The member of a union, added to the place's name, because several members may have fields with the same name. */
function placeIn(member: SchemaNode, place: string): string {
  return `${place} as ${member.$ref?.split('/').at(-1) ?? 'another'}`;
}

/** Every place of a schema that accepts the text. */
export function placesOf(schema: SchemaNode, text: string, place = ''): string[] {
  const node = resolved(schema);
  if (node.oneOf !== undefined) return node.oneOf.flatMap((member) => placesOf(member, text, placeIn(member, place)));
  if (node.type === 'array') return placesOf(node.items ?? {}, text, `${place}/-`);
  if (node.properties === undefined) return takes(node, text) ? [place] : [];
  return Object.entries(node.properties).flatMap(([name, one]) => placesOf(one, text, `${place}/${name}`));
}

/**
 * A value with the text in all places that accept it, and the list of these places. The value still fits the schema.
 */
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
    // Adds the optional fields that the value doesn't have.
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
