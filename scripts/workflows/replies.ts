/** Removes the schemas of the replies from the contract, for a server that validates its replies itself. */
import { type ContractDocument, httpMethods, type Operation } from '../lib/contract.ts';

type Replies = Record<string, { content?: Record<string, object> }>;

/** A copy of a bundle whose replies have statuses and media types, but no schemas and examples. */
export function withoutReplySchemas(contract: ContractDocument): ContractDocument {
  const copy = structuredClone(contract);
  const operations = Object.values(copy.paths).flatMap((item) =>
    httpMethods.map((method) => item[method] as Operation | undefined),
  );
  for (const replies of [...operations.map((operation) => operation?.responses), copy.components?.responses]) {
    for (const { content = {} } of Object.values((replies ?? {}) as Replies)) {
      for (const mediaType of Object.keys(content)) content[mediaType] = {};
    }
  }
  return copy;
}
