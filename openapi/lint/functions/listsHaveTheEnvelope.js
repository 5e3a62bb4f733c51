import { below, follow, hasType, keyword, operations, parametersOf, properties } from '../walk.js';

const envelope = { data: 'array', hasMore: 'boolean', nextCursor: 'string', totalCount: 'integer' };
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };

/** R13. Takes no options. */
export default function listsHaveTheEnvelope(doc) {
  return [...operations(doc)].flatMap((operation) => {
    const query = (name) => parametersOf(doc, operation).find(({ node }) => node.in === 'query' && node.name === name);
    if (query('cursor') === undefined) return [];
    const faults = [];
    const fault = (path, message) => faults.push({ message, path });

    const size = query('limit');
    const schema = size === undefined ? undefined : below(size, 'schema');
    if (schema === undefined) fault(operation.path, 'a list with a cursor has the query parameter limit.');
    else if (Object.entries(limit).some(([key, value]) => keyword(doc, schema, key) !== value)) {
      fault(schema.path, 'limit is an integer from 1 to 100 with the default 20.');
    }

    const response = follow(doc, below(operation, 'responses', '200'));
    const page = below(response, 'content', 'application/json', 'schema');
    const fields = properties(doc, page);
    const wrong = Object.entries(envelope).filter(
      ([name, type]) => !fields.get(name)?.some((place) => hasType(doc, place, type)),
    );
    const required = keyword(doc, page, 'required') ?? [];
    if (wrong.length > 0) {
      const wanted = wrong.map(([name, type]) => `${name} (${type})`).join(', ');
      fault(response.path, `a list with a cursor answers the envelope; it lacks ${wanted}.`);
    } else if (!['data', 'hasMore', 'totalCount'].every((name) => required.includes(name))) {
      fault(response.path, 'the envelope requires data, hasMore and totalCount.');
    } else if (required.includes('nextCursor')) {
      fault(response.path, 'nextCursor is there only when hasMore is true: do not require it.');
    }
    return faults;
  });
}
