import {
  below,
  elements,
  entries,
  follow,
  keyword,
  operations,
  parts,
  pointer,
  properties,
  responsesOf,
} from '../walk.js';

const base = ['components', 'schemas', 'ApiError'];

/** R09. Takes no options. */
export default function errorsNarrowApiError(doc) {
  const faults = new Map();
  const fault = (path, message) => faults.set(`${pointer(path)} ${message}`, { message, path });
  const apiError = below({ node: doc, path: [] }, ...base);
  const code = properties(doc, apiError).get('code')?.[0];
  const known = code === undefined ? undefined : keyword(doc, code, 'enum');
  if (!Array.isArray(known)) {
    return [{ message: 'declare the schema ApiError with an enum of every code.', path: [] }];
  }

  const statusOf = new Map();
  const use = (name, status, path) => {
    if (!known.includes(name)) fault(path, `add ${name} to the enum of ApiError, or correct it.`);
    const first = statusOf.get(name) ?? status;
    statusOf.set(name, first);
    if (first !== status)
      fault(path, `${name} belongs to ${first}; a code has one status. Name another for ${status}.`);
  };

  for (const operation of operations(doc)) {
    for (const response of responsesOf(doc, operation)) {
      if (!/^[45]/.test(response.status)) continue;
      const declared = [...operation.path, 'responses', response.status];
      const types = entries(response.node.content).map(([type]) => type);
      if (types.join() !== 'application/json') {
        fault(response.path, 'give the error response application/json content and no other.');
        continue;
      }
      const narrowed = narrowing(doc, below(response, 'content', 'application/json', 'schema'));
      if (narrowed === undefined) {
        fault(
          response.path,
          'write the schema as allOf of a $ref to ApiError and a const status with an enum of codes.',
        );
        continue;
      }
      if (narrowed.status !== Number(response.status)) {
        fault(declared, `the schema says status ${narrowed.status}, the response is declared for ${response.status}.`);
      }
      for (const { node, path } of narrowed.codes) use(node, response.status, path);
    }
  }
  const transport = below({ node: doc, path: [] }, 'x-transport-responses');
  for (const [status] of entries(transport.node)) {
    const codes = below(transport, status, 'codes');
    if (elements(codes.node).length === 0) fault([...transport.path, status], 'list the codes of the status.');
    for (const [i, name] of elements(codes.node)) use(name, status, [...codes.path, i]);
  }

  const listed = parts(doc, code).find((part) => part.node.enum === known);
  for (const [i, name] of elements(known)) {
    if (!statusOf.has(name)) fault([...listed.path, 'enum', i], `no response uses ${name}: take it away or use it.`);
  }
  return [...faults.values()];
}

/** The status and the codes an error response narrows ApiError to; undefined if it does not. */
function narrowing(doc, place) {
  const schema = follow(doc, place);
  const members = elements(schema.node?.allOf).map(([i]) => below(schema, 'allOf', i));
  const isBase = (member) => pointer(follow(doc, member).path) === pointer(base);
  if (!members.some(isBase)) return undefined;
  const own = [below(schema, 'properties'), ...members.filter((m) => !isBase(m)).map((m) => below(m, 'properties'))];
  const status = own.map(({ node }) => node?.status?.const).find((value) => value !== undefined);
  const codes = own
    .map((fields) => below(fields, 'code'))
    .flatMap((field) => [
      ...elements(field.node?.enum).map(([i]) => below(field, 'enum', i)),
      ...(field.node?.const === undefined ? [] : [below(field, 'const')]),
    ]);
  return status === undefined || codes.length === 0 ? undefined : { status, codes };
}
