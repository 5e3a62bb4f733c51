/** Every named reply of the contract, and the table of `Prefer` tests that both servers must pass (D49). */
import { expect } from 'vitest';
import { loadContract } from '../../../contract/file.ts';
import { pointTo } from '../../../contract/pointer.ts';
import type { Operation } from '../../../generated/operations.ts';
import { bundle, expectErrorShape } from '../expect/apiError.ts';
import type { Answer } from '../sandbox/harness.ts';

/** A reply that can be requested by name. */
export interface NamedReply {
  readonly status: number;
  /** Undefined if the status has no content and so no example. */
  readonly example: string | undefined;
  readonly body: unknown;
  /** The headers that the contract requires for the status. */
  readonly headers: readonly string[];
}

/** A server that is ready for an operation's requests. */
export interface Served {
  /** Sends a valid request of the operation with a `Prefer` header. */
  ask(prefer: string): Promise<Answer>;
  /** Called at the end: checks what must hold after all those replies. */
  finish?(): Promise<void>;
}

const contract = loadContract();

// biome-ignore lint/suspicious/noExplicitAny: any part of the document may be read
function follow(node: any): any {
  if (node?.$ref === undefined) return node;
  return follow(pointTo(bundle, node.$ref));
}

/** The operation's object in the contract. */
export const documented = ({ path, method }: Operation) => bundle.paths[path][method.toLowerCase()];

/** The replies of an operation that can be requested: statuses and examples in the contract's order. */
export function namedReplies(operation: Operation): NamedReply[] {
  return operation.statuses.flatMap((status): NamedReply[] => {
    const { content, headers = {} } = follow(documented(operation).responses[status]);
    const required = Object.keys(headers).filter((name) => follow(headers[name]).required === true);
    const named = Object.entries(content?.['application/json'].examples ?? {});
    if (named.length === 0) return [{ status, example: undefined, body: undefined, headers: required }];
    return named.map(([example, node]) => ({ status, example, body: follow(node).value, headers: required }));
  });
}

/** Expects exactly that reply, as in the contract, and a header that names the applied preference. */
function expectNamed(operation: Operation, answer: Answer, prefer: string, reply: NamedReply): void {
  const { status, body, headers } = reply;
  expect([prefer, answer.status, answer.body]).toEqual([prefer, status, body]);
  expect(answer.headers.get('preference-applied')).toBe(prefer);
  expect(answer.headers.get('content-type')).toBe(body === undefined ? null : 'application/json');
  expect(contract.checkResponse(operation, answer.status, answer.body)).toEqual([]);
  for (const name of headers) expect([name, answer.headers.has(name)]).toEqual([name, true]);
  for (const [, value] of answer.headers) expect(value).not.toBe('string');
  if (status >= 400) expectErrorShape(answer);
  const scheme = operation.security === 'bearer' ? /^Bearer realm="Countersign"/ : /^Basic .*charset="UTF-8"$/;
  if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(scheme);
  if (status === 429) expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

/**
 * Tests one operation: each status alone returns its first example, each example alone returns the first status that
 * has it, and both together return that reply.
 */
export async function expectNamedReplies(operation: Operation, { ask, finish }: Served): Promise<void> {
  const replies = namedReplies(operation);
  expect([...new Set(replies.map(({ status }) => status))]).toEqual(operation.statuses);
  for (const [index, reply] of replies.entries()) {
    const { status, example } = reply;
    const hold = async (prefer: string) => expectNamed(operation, await ask(prefer), prefer, reply);
    const isFirst = (same: (other: NamedReply) => boolean) => replies.findIndex(same) === index;
    if (isFirst((other) => other.status === status)) await hold(`code=${status}`);
    if (example === undefined) continue;
    if (isFirst((other) => other.example === example)) await hold(`example=${example}`);
    await hold(`code=${status}, example=${example}`);
  }
  await finish?.();
}
