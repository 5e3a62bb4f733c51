import { below, elements, follow, operations, parametersOf, properties } from '../walk.js';

/** R20. Takes no options. */
export default function pathIdsNameTheirCode(doc) {
  const faults = new Map();
  for (const operation of operations(doc)) {
    const schema = below(follow(doc, below(operation, 'responses', '404')), 'content', 'application/json', 'schema');
    const codes = (properties(doc, schema).get('code') ?? []).flatMap(({ node }) => [
      ...elements(node.enum).map(([, code]) => code),
      ...(node.const === undefined ? [] : [node.const]),
    ]);
    for (const { node, path } of parametersOf(doc, operation)) {
      if (node.in !== 'path' || codes.includes(node['x-not-found'])) continue;
      const message =
        node['x-not-found'] === undefined
          ? `${node.name}: say in x-not-found which 404 code an id gets that names nothing.`
          : `${node.name}: ${operation.node.operationId} has no 404 with the code ${node['x-not-found']}.`;
      faults.set(`${path.join(' ')} ${message}`, { message, path });
    }
  }
  return [...faults.values()];
}
