import { isSecured, operations } from '../walk.js';

/** R15. Takes no options. */
export default function refusalsAreDeclared(doc) {
  return [...operations(doc)].flatMap((operation) => {
    const wanted = isSecured(operation) ? ['400', '401', '403'] : ['400'];
    const missing = wanted.filter((status) => operation.node.responses?.[status] === undefined);
    if (missing.length === 0) return [];
    return [{ message: `declare ${missing.join(', ')}: every operation can answer it.`, path: operation.path }];
  });
}
