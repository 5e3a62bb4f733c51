import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import type { Operation } from '../../generated/operations.ts';
import type { OutgoingReply } from '../exchange/reply.ts';
import { given } from '../sandbox/tools/given.ts';

/** Which of an operation's documented replies is wanted; Prism takes the first success when nothing is said. */
export interface WantedReply {
  readonly status?: number;
  readonly example?: string | undefined;
}

/** Prism with a contract in it, in process. */
export interface Prism {
  /** The operation ids that it can answer. */
  readonly operationIds: ReadonlySet<string>;
  /**
   * A reply out of the contract.
   * @throws Error when Prism has none, which a contract with an example for every reply rules out.
   */
  answer(operation: Operation, wanted: WantedReply): Promise<OutgoingReply>;
}

type Logger = Parameters<typeof createInstance>[1]['logger'];
type Resources = Parameters<ReturnType<typeof createInstance>['request']>[1];

// The front has routed and checked the request before Prism sees it.
const mockOnly = {
  isProxy: false,
  upstreamProxy: undefined,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
} as const;

/** @param document a bundled OpenAPI document; it is left as it is. */
export async function openPrism(document: object): Promise<Prism> {
  // Prism resolves references in place.
  const resources: Resources = await getHttpOperationsFromSpec(structuredClone(document));
  const byId = new Map(resources.map((resource) => [resource.iid as string, resource]));
  const prism = createInstance(configFor({}), { logger: silentLogger() });

  return {
    operationIds: new Set(byId.keys()),
    async answer(operation, wanted) {
      const resource = byId.get(operation.id);
      if (resource === undefined) throw new Error(`Prism has no operation ${operation.id}`);
      // The one resource and the path's own template: which operation it is was settled by the front's routing.
      const input = { method: resource.method as 'get', url: { path: resource.path } };
      const result = await prism.request(input, [resource], configFor(wanted))();
      if (result._tag === 'Left') throw result.left;
      const { statusCode, headers, body } = result.right.output;
      return { status: statusCode, headers: truthful(headers ?? {}), body };
    },
  };
}

/** Made again for each call: Prism writes into it. */
function configFor({ status, example }: WantedReply) {
  const mock = {
    dynamic: false,
    ...given({ code: status, exampleKey: example }),
  };
  return { ...mockOnly, mock };
}

/**
 * Without the media type, which the front sets (Prism sends text/plain with a 204), and without made-up text: for a
 * header that has no example Prism sends the word "string". A made-up number is within the bounds of its schema.
 */
function truthful(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => name.toLowerCase() !== 'content-type' && value !== null && value !== 'string')
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Prism narrates each negotiation with bodies and headers, which a log of ours never holds. */
function silentLogger(): Logger {
  const quiet = (): void => {};
  const logger = { info: quiet, warn: quiet, error: quiet, debug: quiet, success: quiet, child: () => logger };
  return logger as unknown as Logger;
}
