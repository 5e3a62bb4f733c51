import { isSecured, operations } from '../walk.js';

/** R15. Takes no options. */
export default function refusalsAreDeclared(doc) {
  return [...operations(doc)].flatMap((operation) => {
    const { node } = operation;
    const asks = node['x-permission'] !== undefined || node['x-agent-permission'] !== undefined;
    const wanted = isSecured(operation) ? ['400', '401', ...(asks ? ['403'] : [])] : ['400'];
    const missing = wanted.filter((status) => node.responses?.[status] === undefined);
    if (missing.length === 0) return [];
    return [{ message: `declare ${missing.join(', ')}: the operation can answer it.`, path: operation.path }];
  });
}
