/** Tells where the parts of a contract are used: in requests, in replies, or both. */
import { type ContractDocument, httpMethods, type Operation } from '../lib/contract.ts';
import { isRecord, pointerKeys, valueAt } from './json.ts';

export type Way = 'request' | 'reply';

/** Returns a function that, for a JSON Pointer into the bundle, tells where that element is used. */
export function waysOf(contract: ContractDocument): (pointer: string) => ReadonlySet<Way> {
  const reached: Record<Way, Set<string>> = { request: new Set(), reply: new Set() };

  const follow = (node: unknown, way: Way): void => {
    if (Array.isArray(node)) for (const item of node) follow(item, way);
    if (!isRecord(node)) return;
    for (const value of Object.values(node)) follow(value, way);
    const { $ref } = node;
    if (typeof $ref !== 'string' || reached[way].has($ref)) return;
    reached[way].add($ref);
    follow(valueAt(contract, $ref), way);
  };

  for (const item of Object.values(contract.paths)) {
    follow(item.parameters, 'request');
    for (const method of httpMethods) {
      const operation = item[method] as Operation | undefined;
      follow(operation?.parameters, 'request');
      follow(operation?.requestBody, 'request');
      follow(operation?.responses, 'reply');
    }
  }

  return (pointer) => {
    const [first, section, name] = pointerKeys(pointer);
    if (first !== 'components') return new Set([pointerKeys(pointer)[3] === 'responses' ? 'reply' : 'request']);
    const ref = `#/components/${section}/${name}`;
    return new Set((['request', 'reply'] as const).filter((way) => reached[way].has(ref)));
  };
}
