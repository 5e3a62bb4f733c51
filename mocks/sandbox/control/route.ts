import type { BodyBounds } from '../../../contract/bounds.ts';
import type { Contract } from '../../../contract/contract.ts';
import type { ControlOperation, ControlOperationId } from '../../../generated/controlOperations.ts';
import type { operations as OperationTypes } from '../../../generated/controlTypes.ts';
import type { ExchangeRequest } from '../../exchange/exchange.ts';
import type { TokenRequester } from '../domains/operation.ts';
import type { ProcessUsage } from '../node/machine/usage.ts';
import type { ReplyCache } from '../pipeline/replyCache.ts';
import type { AuthenticateToken } from '../steps/authenticate.ts';
import type { Settling } from '../steps/settleDue.ts';
import type { Store } from '../store/store.ts';
import type { PlatformState } from '../store/units/platformState.ts';
import type { Units } from '../store/units/unit.ts';
import type { Events } from '../telemetry/events.ts';
import type { Journal } from '../telemetry/journal.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Refusals } from '../telemetry/refusals.ts';
import type { ChanceSource } from '../tools/chance.ts';
import type { Clock } from '../tools/clock.ts';
import type { Derive } from '../tools/derive.ts';

/** The parts that the routes of the control surface use. */
export interface ControlParts {
  readonly authenticateToken: AuthenticateToken;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly replies: ReplyCache;
  readonly usage: () => ProcessUsage;
  readonly units: Units;
  readonly settling: Settling;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly derive: Derive;
  readonly contract: Contract;
  /** The contract of the control surface itself. */
  readonly controlContract: Contract;
  readonly journal: Journal;
  readonly refusals: Refusals;
  readonly events: Events;
  /** The initial state of a platform, without any wishes of the request. */
  readonly firstState: PlatformState;
  /** Required for operations without a platform's credentials, if the server listens beyond this machine. */
  readonly controlToken?: string;
}

type Given<T> = [NonNullable<T>] extends [never] ? Readonly<Record<never, never>> : NonNullable<T>;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Parameters<Id extends ControlOperationId> = OperationTypes[Id]['parameters'];
type RequestBody<Id extends ControlOperationId> = OperationTypes[Id] extends { requestBody?: infer Body }
  ? Json<NonNullable<Body>>
  : undefined;
type Success = 200 | 201 | 204;
type Responses<Id extends ControlOperationId> = OperationTypes[Id]['responses'];

/** The caller: a token of the steered platform, or nothing for operations without a platform. */
interface RequesterBy {
  readonly manager: TokenRequester;
  readonly operator: undefined;
  readonly anyone: undefined;
}

/** A request after validation. All its values have the types of the contract of the control surface. */
export interface ControlCall<Id extends ControlOperationId> {
  readonly request: ExchangeRequest;
  readonly parts: ControlParts;
  readonly path: Given<Parameters<Id>['path']>;
  /** Every parameter has a default, which is filled in. */
  readonly query: Required<Given<Parameters<Id>['query']>>;
  /** An empty object if none was sent. */
  readonly body: RequestBody<Id>;
  readonly requester: RequesterBy[Extract<ControlOperation, { id: Id }>['caller']];
}

type Headers = Readonly<Record<string, string>>;

/** A success of the contract. Its body is a value, a text that is already written, or a stream. */
export type ControlReply<Id extends ControlOperationId> = {
  [Status in Success & keyof Responses<Id>]: Responses<Id>[Status] extends { content: unknown }
    ?
        | { readonly status: Status; readonly body: Json<Responses<Id>[Status]> }
        | { readonly status: Status; readonly text: string; readonly headers?: Headers }
        | { readonly status: Status; readonly stream: AsyncIterable<Uint8Array>; readonly headers: Headers }
    : { readonly status: Status };
}[Success & keyof Responses<Id>];

/** The behaviour of one operation of the control surface. */
export interface ControlHandler<Id extends ControlOperationId> {
  /** The limits of the body; if absent, those of the interface's operations. */
  readonly bounds?: BodyBounds;
  /** Whether `handle` reads the body itself, because it is too large for the memory. */
  readonly readsBody?: true;
  /** A field that `handle` examines itself, because it has several forms without a tag. */
  readonly examines?: string;
  readonly handle: (call: ControlCall<Id>) => Promise<ControlReply<Id>>;
}

/** One handler per operation of the contract. A missing handler is a type error. */
export type ControlHandlers = { readonly [Id in ControlOperationId]: ControlHandler<Id> };

/** Changes what a platform keeps besides its records, and returns the result of `show`. */
export function changeState<Shown>(
  { requester, parts }: { readonly requester: TokenRequester; readonly parts: ControlParts },
  next: (state: PlatformState) => PlatformState,
  show: (state: PlatformState) => Shown,
): Promise<{ readonly status: 200; readonly body: Shown }> {
  return parts.units.run(requester.platformId, async (unit) => {
    const changed = next(unit.state);
    if (changed !== unit.state) unit.setState(changed);
    return { status: 200, body: show(changed) };
  });
}
