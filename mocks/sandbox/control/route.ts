import type { BodyBounds } from '../../../contract/bounds.ts';
import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';
import { once } from '../../../contract/memoize.ts';

import { createValidator } from '../../../contract/validator.ts';
import type { ExchangeRequest } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { TokenRequester } from '../domains/operation.ts';
import type { ProcessUsage } from '../node/machine/usage.ts';
import type { ReplyCache } from '../pipeline/replyCache.ts';
import type { AuthenticateToken } from '../steps/authenticate.ts';
import { readBody } from '../steps/readBody.ts';
import type { Store } from '../store/store.ts';
import type { PlatformState } from '../store/units/platformState.ts';
import type { Units } from '../store/units/unit.ts';
import type { Journal } from '../telemetry/journal.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ChanceSource } from '../tools/chance.ts';
import type { Clock } from '../tools/clock.ts';
import type { Derive } from '../tools/derive.ts';
import { invalid } from '../tools/problem.ts';

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
  readonly journal: Journal;
  /** What a platform's state is at its first moment, before anything is asked for. */
  readonly firstState: PlatformState;
  /** Needed for what has no platform's credentials, where the server listens beyond this machine. */
  readonly controlToken?: string;
}

/** A request of somebody who may manage a platform. */
export interface ManagerCall {
  readonly request: ExchangeRequest;
  readonly requester: TokenRequester;
  readonly parts: ControlParts;
}

/** A request without a platform's credentials. */
export interface OpenCall {
  readonly request: ExchangeRequest;
  readonly parts: ControlParts;
  readonly path: Readonly<Record<string, string>>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One route below `/__sandbox`. `manager` asks for a token with MANAGE, `operator` for the control token if there is
 * one, `anyone` for nothing.
 */
export type ControlRoute = { readonly method: Method; readonly path: string } & (
  | { readonly needs: 'manager'; readonly handle: (call: ManagerCall) => Promise<OutgoingReply> }
  | { readonly needs: 'operator' | 'anyone'; readonly handle: (call: OpenCall) => Promise<OutgoingReply> }
);

/** What is wrong with a value by a schema, which is compiled when first used. */
export function bodyCheck(schema: Readonly<Record<string, unknown>>): (value: unknown) => Fault[] {
  const compiled = once(() => {
    const ajv = createValidator({ allowUnionTypes: true });
    ajv.addVocabulary(['x-fault']);
    return ajv.compile(schema);
  });
  return (value) => {
    const check = compiled();
    return check(value) ? [] : toFaults('body', check.errors ?? []);
  };
}

/** Reads a JSON body of the form that a schema gives. No body reads as `{}`. */
export function bodyReader<T>(
  schema: Readonly<Record<string, unknown>>,
  bounds?: BodyBounds,
): (request: ExchangeRequest) => Promise<T> {
  const findFaults = bodyCheck(schema);
  return async (request) => {
    const sent = await readBody(request, undefined, bounds);
    const body = sent === undefined ? {} : sent;
    const faults = findFaults(body);
    if (faults.length > 0) throw invalid(faults);
    return body as T;
  };
}

/** Changes what a platform keeps beside its records, and answers with what `show` makes of it. */
export function changeState(
  { requester, parts }: ManagerCall,
  next: (state: PlatformState) => PlatformState,
  show: (state: PlatformState) => unknown,
) {
  return parts.units.run(requester.platformId, async (unit) => {
    const changed = next(unit.state);
    if (changed !== unit.state) unit.setState(changed);
    return { status: 200, body: show(changed) };
  });
}
