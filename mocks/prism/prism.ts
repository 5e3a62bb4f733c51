import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import type { Operation } from '../../generated/operations.ts';
import type { OutgoingReply } from '../exchange/reply.ts';
import { given } from '../sandbox/tools/given.ts';

/** The documented reply that is wanted. Prism returns the first success if none is named. */
export interface WantedReply {
  readonly status?: number;
  readonly example?: string | undefined;
}

/** Prism with a loaded contract, in process. */
export interface Prism {
  /** The ids of the operations that it can answer. */
  readonly operationIds: ReadonlySet<string>;
  /**
   * Returns a reply from the contract.
   * @throws Error if Prism has none. That can't happen if every reply has an example.
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

/** @param document a bundled OpenAPI document, which isn't changed. */
export async function openPrism(document: object): Promise<Prism> {
  // Prism resolves references in place, so it gets a copy.
  const resources: Resources = await getHttpOperationsFromSpec(structuredClone(document));
  const byId = new Map(resources.map((resource) => [resource.iid as string, resource]));
  const prism = createInstance(configFor({}), { logger: silentLogger() });

  return {
    operationIds: new Set(byId.keys()),
    async answer(operation, wanted) {
      const resource = byId.get(operation.id);
      if (resource === undefined) throw new Error(`Prism has no operation ${operation.id}`);
      // There is one resource, and the path is its own template: the front's routing has already found the operation.
      const input = { method: resource.method as 'get', url: { path: resource.path } };
      const result = await prism.request(input, [resource], configFor(wanted))();
      if (result._tag === 'Left') throw result.left;
      const { statusCode, headers, body } = result.right.output;
      return { status: statusCode, headers: truthful(headers ?? {}), body };
    },
  };
}

/** Created for each call, because Prism changes it. */
function configFor({ status, example }: WantedReply) {
  const mock = {
    dynamic: false,
    ...given({ code: status, exampleKey: example }),
  };
  return { ...mockOnly, mock };
}

/**
 * Removes headers that the contract doesn't state. The front sets the media type; Prism sends text/plain with a 204.
 * For a header without an example, Prism sends the text "string". An invented number stays: it is within the limits of
 * its schema.
 */
function truthful(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => name.toLowerCase() !== 'content-type' && value !== null && value !== 'string')
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Prism logs each negotiation with bodies and headers, which our logs must never contain. */
function silentLogger(): Logger {
  const quiet = (): void => {};
  const logger = { info: quiet, warn: quiet, error: quiet, debug: quiet, success: quiet, child: () => logger };
  return logger as unknown as Logger;
}
