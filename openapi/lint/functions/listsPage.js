import { below, follow, operations, parametersOf } from '../walk.js';

/** R24. `whole`: operations whose lists are short by nature, so that they are answered whole. */
export default function listsPage(doc, { whole }) {
  return [...operations(doc)].flatMap((operation) => {
    const { operationId } = operation.node;
    if (!/^list[A-Z]/.test(operationId ?? '')) return [];
    const faults = [];
    const hasCursor = parametersOf(doc, operation).some(({ node }) => node.in === 'query' && node.name === 'cursor');
    if (!hasCursor && !whole.includes(operationId)) {
      faults.push({ message: `give ${operationId} a cursor: lists are paged.`, path: operation.path });
    }
    const response = follow(doc, below(operation, 'responses', '200'));
    const schema = below(response, 'content', 'application/json', 'schema');
    if (/^#\/.*[^/]List$/.test(schema.node?.$ref ?? '')) return faults;
    return [...faults, { message: `let ${operationId} answer a schema called …List.`, path: response.path }];
  });
}
