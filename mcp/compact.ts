/**
 * Reduces schemas to what a model needs: resolves references, and leaves out what only other readers of the contract
 * need. The generator makes the tools' schemas with it, and `describe_account_type` the schema of an account type.
 */

export type Json = Readonly<Record<string, unknown>>;

/** A union with more members than this isn't listed. Its description says how to look a member up. */
const maxMembers = 8;
const maxDescription = 240;

/** The keywords that a model sees. Everything else is left out: examples, our own extensions, formats of numbers. */
const kept = [
  'type',
  'description',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'default',
] as const;

/** Rewrites a description, for example to name a tool instead of a path. */
export type Reword = (text: string) => string;

/**
 * Returns a schema without references.
 * @param document the contract that its references point into
 * @throws Error if a reference points nowhere
 */
export function compactSchema(document: Json, schema: unknown, reword: Reword = (text) => text): Json {
  const whole = follow(document, schema);
  const shown: Record<string, unknown> = {};
  for (const key of kept) {
    const value = whole[key];
    if (value === undefined) continue;
    shown[key] = key === 'description' ? shorten(reword(String(value))) : value;
  }
  // If `const` fixes one value, `enum` has it too.
  if (whole['const'] !== undefined && shown['enum'] === undefined) shown['enum'] = [whole['const']];
  const { properties, items, oneOf, additionalProperties: more } = whole;
  if (properties !== undefined) {
    shown['properties'] = mapValues(properties as Json, (one) => compactSchema(document, one, reword));
  }
  if (items !== undefined) shown['items'] = compactSchema(document, items, reword);
  if (more === false) shown['additionalProperties'] = false;
  else if (typeof more === 'object') shown['additionalProperties'] = compactSchema(document, more, reword);
  if (Array.isArray(oneOf)) Object.assign(shown, union(document, whole, oneOf, reword));
  return shown;
}

/** Returns the members of a union. If there are too many, returns the property that tells them apart. */
function union(document: Json, whole: Json, members: readonly unknown[], reword: Reword): Json {
  if (members.length <= maxMembers) return { oneOf: members.map((one) => compactSchema(document, one, reword)) };
  const name = discriminatorOf(whole);
  const words = tagsOf(document, whole);
  return {
    required: [name],
    properties: { [name]: { type: 'string', enum: words } },
    additionalProperties: true,
  };
}

/** The property that tells the members of a union apart. */
export function discriminatorOf(schema: Json): string {
  return (schema['discriminator'] as { readonly propertyName: string }).propertyName;
}

/** The values of a union's discriminator, in the order of its members. */
export function tagsOf(document: Json, schema: Json): string[] {
  const name = discriminatorOf(schema);
  return (schema['oneOf'] as readonly unknown[]).flatMap((member) => {
    const properties = follow(document, member)['properties'] as Json | undefined;
    const tag = follow(document, properties?.[name] ?? {});
    return (tag['enum'] ?? [tag['const']]) as string[];
  });
}

/** Resolves a reference, and adds the keywords beside it. @throws Error if a reference points nowhere */
export function follow(document: Json, schema: unknown): Json {
  const here = schema as Json;
  const { $ref, ...beside } = here;
  if (typeof $ref !== 'string') return here;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json | undefined)?.[unescaped(key)], document);
  if (!$ref.startsWith('#/') || found === undefined) throw new Error(`The reference ${$ref} leads nowhere`);
  return { ...follow(document, found), ...beside };
}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The first sentences of a text, up to a total length, and at least one. */
export function shorten(text: string, limit: number = maxDescription): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  if (plain.length <= limit) return plain;
  const sentences = plain.split(/(?<=[.!?])\s+(?=[A-Z`])/);
  let shown = sentences[0] ?? '';
  for (const sentence of sentences.slice(1)) {
    if (shown.length + sentence.length + 1 > limit) break;
    shown += ` ${sentence}`;
  }
  return shown;
}

function mapValues(values: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
