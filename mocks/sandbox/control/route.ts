import type { BodyBounds } from '../../../contract/bounds.ts';
import type { Contract } from '../../../contract/contract.ts';
import type { ControlOperation, ControlOperationId } from '../../../generated/controlOperations.ts';
import type { operations as OperationTypes } from '../../../generated/controlTypes.ts';
import type { ExchangeRequest } from '../../exchange/exchange.ts';
import type { TokenRequester } from '../domains/operation.ts';
import type { ProcessUsage } from '../node/machine/usage.ts';
import type { ReplyCache } from '../pipeline/replyCache.ts';
import type { AuthenticateToken } from '../steps/authenticate.ts';
import type { Store } from '../store/store.ts';
import type { PlatformState } from '../store/units/platformState.ts';
import type { Units } from '../store/units/unit.ts';
import type { Events } from '../telemetry/events.ts';
import type { Journal } from '../telemetry/journal.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ChanceSource } from '../tools/chance.ts';
import type { Clock } from '../tools/clock.ts';
import type { Derive } from '../tools/derive.ts';

/** What the routes of the control surface work with. */
export interface ControlParts {
  readonly authenticateToken: AuthenticateToken;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly replies: ReplyCache;
  readonly usage: () => ProcessUsage;
  readonly units: Units;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly derive: Derive;
  readonly contract: Contract;
  /** That of the control surface itself. */
  readonly controlContract: Contract;
  readonly journal: Journal;
  readonly events: Events;
  /** What a platform's state is at its first moment, before anything is asked for. */
  readonly firstState: PlatformState;
  /** Needed for what has no platform's credentials, where the server listens beyond this machine. */
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

/** Who asks: a token of the platform that is steered, or nobody who has a platform. */
interface RequesterBy {
  readonly manager: TokenRequester;
  readonly operator: undefined;
  readonly anyone: undefined;
}

/** A request after validation: everything in it has the types that the contract of the control surface gives. */
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

/** A success of the contract, its body as a value, as text that is written already, or as a stream. */
export type ControlReply<Id extends ControlOperationId> = {
  [Status in Success & keyof Responses<Id>]: Responses<Id>[Status] extends { content: unknown }
    ?
        | { readonly status: Status; readonly body: Json<Responses<Id>[Status]> }
        | { readonly status: Status; readonly text: string; readonly headers?: Headers }
        | { readonly status: Status; readonly stream: AsyncIterable<Uint8Array>; readonly headers: Headers }
    : { readonly status: Status };
}[Success & keyof Responses<Id>];

/** How one operation of the control surface behaves. */
export interface ControlHandler<Id extends ControlOperationId> {
  /** How large the body may be; as for the interface's operations when absent. */
  readonly bounds?: BodyBounds;
  /** A field whose value `handle` examines itself, because it is of several kinds that nothing tags. */
  readonly examines?: string;
  readonly handle: (call: ControlCall<Id>) => Promise<ControlReply<Id>>;
}

/** One handler per operation of the contract: forgetting one is a type error. */
export type ControlHandlers = { readonly [Id in ControlOperationId]: ControlHandler<Id> };

/** Changes what a platform keeps beside its records, and answers with what `show` makes of it. */
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
