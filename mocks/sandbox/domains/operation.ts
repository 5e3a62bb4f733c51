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

/** On whose behalf a request is made, as its credentials say. */
export interface Requester {
  readonly platformId: string;
  /** Whose idempotency keys count: a token's id or an agent's; empty where there are no credentials. */
  readonly actorId: string;
}

/** Somebody with an API token. */
export interface TokenRequester extends Requester {
  readonly permissions: readonly string[];
}

/** An agent; `actorId` is its id. */
export interface AgentRequester extends Requester {
  readonly customerId: string;
}

/** Who asks, by the security that the contract states for the operation. */
interface RequesterBy {
  readonly basic: TokenRequester;
  readonly bearer: AgentRequester;
  readonly none: Requester;
}

/** A request of one operation after validation: everything in it has the types that the contract gives. */
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

/** What a handler may answer: a success status of the contract with the body that goes with it. */
export type Reply<Id extends OperationId> = {
  [Status in Success & keyof Responses<Id>]: Json<Responses<Id>[Status]> extends undefined
    ? { readonly status: Status }
    : { readonly status: Status; readonly body: Json<Responses<Id>[Status]> };
}[Success & keyof Responses<Id>];

/**
 * How one operation behaves. It knows no HTTP. A thrown `Problem` refuses and leaves nothing; a returned one refuses and
 * keeps what the unit wrote, such as a counted attempt.
 */
export interface Handler<Id extends OperationId, Prepared = unknown> {
  /**
   * Asynchronous work that must not sit inside a unit (sealing keys, verifying proofs). What it relied on is checked
   * again inside. A problem with the request is left to `handle`, which knows the order of checks.
   */
  readonly prepare?: (call: Call<Id>, preparation: Preparation) => Promise<Prepared>;
  /** The decision and its effects, in one unit of work. */
  readonly handle: (call: Call<Id>, unit: Unit, prepared: Prepared) => Promise<Reply<Id> | Problem>;
}

/** One handler per operation of the contract: forgetting one is a type error. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Ties a handler to its operation, so that the types of its call and replies follow from the contract. */
export function operation<Id extends OperationId, Prepared = undefined>(
  _id: Id,
  handler: Handler<Id, Prepared>,
): Handler<Id> {
  // What `prepare` made goes to the same handler's `handle` only, so its type is nobody else's business.
  return handler as unknown as Handler<Id>;
}
