/**
 * Reading an OpenAPI 3.1 document for the house rules.
 *
 * Every rule looks at the bundle as it is written (`resolved: false`) and follows local references itself. So a fault
 * is reported once, at the place that must change, and not once for each place that refers to it.
 *
 * @typedef {(string | number)[]} Path the keys that lead from the root of the document to a node
 * @typedef {{ node: any, path: Path }} Place a node together with its path
 * @typedef {{ message: string, path: Path }} Fault what Spectral reports: the message says what to do
 */

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** True for a plain object: neither null nor an array. */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path as a JSON pointer: for messages, and as a key in sets. */
export const pointer = (path) =>
  `#${path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;

/** The entries of an object; none for anything else, so that a rule survives a malformed document. */
export const entries = (value) => (isObject(value) ? Object.entries(value) : []);

/** The elements of an array with their index; none for anything else. */
export const elements = (value) => (Array.isArray(value) ? [...value.entries()] : []);

/** @returns {Place} the place below `place` that the keys lead to; its node is undefined where there is none */
export const below = (place, ...keys) => ({
  node: keys.reduce((node, key) => node?.[key], place.node),
  path: [...place.path, ...keys],
});

/** @returns {Place | undefined} the place a local reference names; undefined for a foreign or dangling one */
export function target(doc, ref) {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  const path = ref
    .slice(2)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  const place = below({ node: doc, path: [] }, ...path);
  return place.node === undefined ? undefined : place;
}

/** @returns {Place} where the chain of references that starts at `place` ends; `place` itself if it isn't a reference */
export function follow(doc, place) {
  let here = place;
  const seen = new Set();
  while (isObject(here.node) && typeof here.node.$ref === 'string' && !seen.has(here.node)) {
    seen.add(here.node);
    const next = target(doc, here.node.$ref);
    if (next === undefined) break;
    here = next;
  }
  return here;
}

/**
 * What a schema is made of: itself, then what it refers to, then the members of its `allOf`, to any depth.
 * A keyword beside a `$ref` counts as much as one behind it (JSON Schema 2020-12).
 *
 * @returns {Place[]}
 */
export function parts(doc, place, seen = new Set()) {
  if (!isObject(place.node) || seen.has(place.node)) return [];
  seen.add(place.node);
  const behind = target(doc, place.node.$ref);
  return [
    place,
    ...(behind === undefined ? [] : parts(doc, behind, seen)),
    ...elements(place.node.allOf).flatMap(([i]) => parts(doc, below(place, 'allOf', i), seen)),
  ];
}

/** The value of a keyword on a schema, looked up in all its parts, nearest first; undefined if none has it. */
export const keyword = (doc, place, name) =>
  parts(doc, place)
    .map((part) => part.node[name])
    .find((value) => value !== undefined);

/** True if the schema (with its parts) says that it is of the type, alone or among others. */
export const hasType = (doc, place, type) => [keyword(doc, place, 'type')].flat().includes(type);

/** @returns {Map<string, Place[]>} the properties of a schema, each with every place that defines it */
export function properties(doc, place) {
  const found = new Map();
  for (const part of parts(doc, place)) {
    for (const [name] of entries(part.node.properties)) {
      found.set(name, [...(found.get(name) ?? []), below(part, 'properties', name)]);
    }
  }
  return found;
}

/** @returns {Generator<Place & { method: string, template: string }>} every operation of the document */
export function* operations(doc) {
  for (const [template, item] of entries(doc.paths)) {
    for (const [method] of entries(item)) {
      if (!methods.includes(method)) continue;
      const place = follow(doc, { node: item[method], path: ['paths', template, method] });
      if (isObject(place.node)) yield { ...place, method, template };
    }
  }
}

/** @returns {Place[]} the parameters of an operation, those of its path item included, references followed */
export function parametersOf(doc, operation) {
  const item = { node: doc.paths?.[operation.template], path: ['paths', operation.template] };
  return [item, operation]
    .flatMap((owner) => elements(owner.node?.parameters).map(([i]) => below(owner, 'parameters', i)))
    .map((place) => follow(doc, place))
    .filter((place) => isObject(place.node));
}

/** @returns {(Place & { status: string })[]} the responses of an operation, references followed */
export const responsesOf = (doc, operation) =>
  entries(operation.node.responses)
    .map(([status]) => ({ ...follow(doc, below(operation, 'responses', status)), status }))
    .filter((place) => isObject(place.node));

/** True if the operation wants credentials. */
export const isSecured = (operation) => elements(operation.node.security).length > 0;

/**
 * Everything that carries a schema, where it is written: parameters, headers and media types, inline or as components.
 * References are not followed, so each is seen once.
 *
 * @returns {Generator<Place & { kind: 'parameter' | 'header' | 'media type' }>}
 */
export function* carriers(doc) {
  const root = { node: doc, path: [] };
  const list = (owner, key) => elements(owner.node?.[key]).map(([i]) => below(owner, key, i));
  const map = (owner, key) => entries(owner.node?.[key]).map(([name]) => below(owner, key, name));
  const components = below(root, 'components');
  const items = map(root, 'paths');
  const all = [...operations(doc)];
  const bodies = [...map(components, 'requestBodies'), ...all.map((operation) => below(operation, 'requestBody'))];
  const responses = [...map(components, 'responses'), ...all.flatMap((operation) => map(operation, 'responses'))];
  const parameters = [
    ...map(components, 'parameters'),
    ...[...items, ...all].flatMap((owner) => list(owner, 'parameters')),
  ];
  const headers = [...map(components, 'headers'), ...responses.flatMap((response) => map(response, 'headers'))];
  const mediaTypes = [...bodies, ...responses, ...parameters, ...headers].flatMap((owner) => map(owner, 'content'));
  for (const [kind, places] of Object.entries({ parameter: parameters, header: headers, 'media type': mediaTypes })) {
    for (const place of places) {
      if (isObject(place.node) && place.node.$ref === undefined) yield { ...place, kind };
    }
  }
}

/** The places of the schemas directly inside a schema. */
export function subschemas(place) {
  const maps = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];
  const lists = ['oneOf', 'anyOf', 'allOf', 'prefixItems'];
  const single = ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'contains'];
  return [
    ...maps.flatMap((key) => entries(place.node[key]).map(([name]) => [below(place, key, name), key, name])),
    ...lists.flatMap((key) => elements(place.node[key]).map(([i]) => [below(place, key, i), key, i])),
    ...single.map((key) => [below(place, key), key, undefined]),
  ].filter(([child]) => isObject(child.node));
}

/**
 * Every schema of the document where it is written, references not followed.
 * `component` is the name of a schema that is a component, `property` the name of one that is a property, and `whole`
 * the outermost schema around an `allOf` that the schema is a member of, else the schema itself.
 *
 * @returns {Generator<Place & { component?: string, property?: string, whole: Place, owner?: Place }>}
 */
export function* schemas(doc) {
  const components = { node: doc.components?.schemas, path: ['components', 'schemas'] };
  for (const [component] of entries(components.node)) yield* within(below(components, component), { component });
  for (const carrier of carriers(doc)) yield* within(below(carrier, 'schema'), {});
}

function* within(place, marks) {
  if (!isObject(place.node)) return;
  const whole = marks.whole ?? place;
  yield { ...place, ...marks, whole };
  for (const [child, key, name] of subschemas(place)) {
    yield* within(child, {
      ...(key === 'properties' ? { property: name, owner: whole } : {}),
      ...(key === 'allOf' ? { whole } : {}),
    });
  }
}

/**
 * Every schema that a request must satisfy, references followed, each place once for each `where`: `body`, or the
 * `in` of a parameter. Members of an `allOf` are parts of the schema around them and do not come by themselves.
 *
 * @returns {Generator<Place & { where: string }>}
 */
export function* requestSchemas(doc) {
  const seen = new Set();
  for (const operation of operations(doc)) {
    const body = follow(doc, below(operation, 'requestBody'));
    for (const [type] of entries(body.node?.content)) {
      yield* reach(doc, below(body, 'content', type, 'schema'), 'body', seen);
    }
    for (const parameter of parametersOf(doc, operation)) {
      yield* reach(doc, below(parameter, 'schema'), parameter.node.in, seen);
    }
  }
}

function* reach(doc, place, where, seen) {
  const key = `${where} ${pointer(place.path)}`;
  if (!isObject(place.node) || seen.has(key)) return;
  seen.add(key);
  yield { ...place, where };
  const followed = ['properties', 'oneOf', 'anyOf', 'prefixItems', 'items', 'additionalProperties'];
  for (const part of parts(doc, place)) {
    for (const [child, keywordOfChild] of subschemas(part)) {
      if (followed.includes(keywordOfChild)) yield* reach(doc, child, where, seen);
    }
  }
}

/** A short name for a place in a message: the component it is in and the way from there, or the whole pointer. */
export function nameOf(path) {
  const [, , component, ...rest] = path;
  const way = rest.filter((key) => key !== 'properties');
  return path[0] === 'components' ? [component, ...way].join('.') : pointer(path);
}
