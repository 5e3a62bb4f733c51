import type { OperationId } from '../../generated/operations.ts';
import type { Call, Handler, Handlers } from './domains/operation.ts';
import type { Log } from './kernel/log.ts';
import { Problem } from './kernel/problem.ts';
import type { Contract } from './shell/contract.ts';
import { authenticate } from './steps/authenticate.ts';
import { authorize } from './steps/authorize.ts';
import { chooseExample } from './steps/prefer.ts';
import { isTransportCode, type OutgoingReply, sendProblem } from './steps/sendProblem.ts';
import { type RawRequest, validateRequest } from './steps/validateRequest.ts';
import { ContractBreach, validateResponse } from './steps/validateResponse.ts';
import { StorageUnavailable, type Store } from './store/store.ts';
import type { Units } from './store/unit.ts';

export interface PipelineParts {
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly store: Store;
  readonly units: Units;
  readonly log: Log;
}

/** The way of a request of the contract, from routing to reply: the order of work, and nothing else. */
export function createPipeline(parts: PipelineParts): (raw: RawRequest) => Promise<OutgoingReply> {
  const { contract, handlers, store, units, log } = parts;

  const answer = async (raw: RawRequest): Promise<OutgoingReply> => {
    const { operation } = raw;
    const requester = await authenticate(raw.request.headers, store);
    authorize(requester, operation.permission);
    const valid = await validateRequest(contract, raw);
    const canned = chooseExample(contract, operation, raw.request.headers.get('prefer'));
    if (canned !== null) return { ...canned, headers: { 'Preference-Applied': canned.applied } };

    // The contract has just vouched for these types.
    const call = { operation, requester, ...valid } as unknown as Call<OperationId>;
    const handler = handlers[operation.id] as unknown as Handler<OperationId>;
    const prepared =
      handler.prepare === undefined
        ? undefined
        : await handler.prepare(call, await units.moment(requester.platformId, operation.id));
    return units.run(requester.platformId, async (unit) => {
      const reply: OutgoingReply = await handler.handle(call, unit, prepared);
      validateResponse(contract, operation, reply.status, reply.body);
      return reply;
    });
  };

  return async (raw) => {
    try {
      return await answer(raw).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        if (!isTransportCode(error.code)) validateResponse(contract, raw.operation, error.status, error.body());
        return sendProblem(error);
      });
    } catch (error) {
      return sendProblem(asProblem(error, log));
    }
  };
}

/** What the client is told of a fault of ours: nothing but that it is ours. The log gets the rest. */
export function asProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StorageUnavailable) {
    log.error('The storage engine refused the work', { cause: String(error.cause) });
    return new Problem(
      'STORAGE_UNAVAILABLE',
      'The request was not carried out because its data could not be stored; try again.',
    );
  }
  if (error instanceof ContractBreach) log.error(error.message, error.facts);
  else
    log.error('A request failed by a fault of the sandbox', {
      error: error instanceof Error ? error.stack : String(error),
    });
  return new Problem(
    'INTERNAL_ERROR',
    'The sandbox failed by a fault of its own; nothing was changed. Its log says more.',
  );
}
