import type { Operation, OperationId } from '../../../generated/operations.ts';
import type { operations as OperationTypes } from '../../../generated/types.ts';
import type { Preparation, Unit } from '../store/units/unit.ts';
import type { Problem } from '../tools/problem.ts';
import type { Received } from '../tools/received.ts';

type Given<T> = [NonNullable<T>] extends [never] ? Readonly<Record<never, never>> : NonNullable<T>;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Parameters<Id extends OperationId> = Received<OperationTypes[Id]['parameters']>;
type SentBody<Id extends OperationId> = OperationTypes[Id] extends { requestBody: infer Body }
  ? Json<Body>
  : OperationTypes[Id] extends { requestBody?: infer Body }
    ? Json<NonNullable<Body>> | undefined
    : undefined;
/** A page size has a default in the contract, and validation has filled it in. */
type Defaulted<Query> = Query extends { limit?: number } ? Query & { limit: number } : Query;

/** The owner of a request's credentials. */
export interface Requester {
  readonly platformId: string;
  /** The id of a token or an agent; empty without credentials. */
  readonly actorId: string;
}

/** A caller with an API token. */
export interface TokenRequester extends Requester {
  readonly permissions: readonly string[];
}

/** A calling agent. `actorId` is its id. */
export interface AgentRequester extends Requester {
  readonly customerId: string;
}

/** The kind of caller for each security scheme of the contract. */
interface RequesterBy {
  readonly basic: TokenRequester;
  readonly bearer: AgentRequester;
  readonly none: Requester;
}

/** A request of one operation after validation. All its values have the types of the contract. */
export interface Call<Id extends OperationId> {
  readonly operation: Extract<Operation, { id: Id }>;
  readonly path: Given<Parameters<Id>['path']>;
  readonly query: Defaulted<Given<Parameters<Id>['query']>>;
  readonly headers: Given<Parameters<Id>['header']>;
  readonly body: Received<SentBody<Id>>;
  readonly requester: RequesterBy[Extract<Operation, { id: Id }>['security']];
}

type Success = 200 | 201 | 202 | 204;
type Responses<Id extends OperationId> = OperationTypes[Id]['responses'];

/** What a handler may return: a success status of the contract with its body. */
export type Reply<Id extends OperationId> = {
  [Status in Success & keyof Responses<Id>]: Json<Responses<Id>[Status]> extends undefined
    ? { readonly status: Status }
    : { readonly status: Status; readonly body: Json<Responses<Id>[Status]> };
}[Success & keyof Responses<Id>];

/**
 * The behaviour of one operation. It knows nothing of HTTP. A thrown `Problem` refuses, and the unit's writes are
 * undone. A returned `Problem` also refuses, but keeps the unit's writes, such as a counted attempt.
 */
export interface Handler<Id extends OperationId, Prepared = unknown> {
  /**
   * Asynchronous work that must not run inside a unit (sealing keys, verifying proofs). The unit checks again what this
   * work depended on. `handle` reports problems with the request, because it knows the order of checks.
   */
  readonly prepare?: (call: Call<Id>, preparation: Preparation) => Promise<Prepared>;
  /** Decides and writes, in one unit of work. */
  readonly handle: (call: Call<Id>, unit: Unit, prepared: Prepared) => Promise<Reply<Id> | Problem>;
}

/** One handler per operation of the contract. A missing handler is a type error. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Connects a handler to its operation, so that the types of its call and replies follow from the contract. */
export function operation<Id extends OperationId, Prepared = undefined>(
  _id: Id,
  handler: Handler<Id, Prepared>,
): Handler<Id> {
  // Only the same handler's `handle` gets the result of `prepare`, so other code needn't know its type.
  return handler as unknown as Handler<Id>;
}
