import type { Contract } from '../../../contract/contract.ts';
import type { OperationId } from '../../../generated/operations.ts';
import { noAnswer } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import { isAnyDue } from '../domains/effect.ts';
import type { Call, Handler, Handlers, TokenRequester } from '../domains/operation.ts';
import { type Authenticate, CredentialsRefused } from '../steps/authenticate.ts';
import { authorize } from '../steps/authorize.ts';
import { delayOrDrop, hasFaultRule, plantedRefusal, takeFaultRule, type Wait } from '../steps/plantFault.ts';
import { chooseExample } from '../steps/prefer.ts';
import { keepReply, replayIdempotent, runKeyed } from '../steps/replayIdempotent.ts';
import { type Settling, somethingIsDue } from '../steps/settleDue.ts';
import { validateRequest } from '../steps/validateRequest.ts';
import { isTransportCode, validateResponse } from '../steps/validateResponse.ts';
import type { Units } from '../store/units/unit.ts';
import type { Journal, Note } from '../telemetry/journal.ts';
import type { Log } from '../telemetry/log.ts';
import type { Refusals } from '../telemetry/refusals.ts';
import { hashJson } from '../tools/bytes.ts';
import { Problem } from '../tools/problem.ts';
import { type Asked, asProblem, sendProblem } from '../transport/problems.ts';
import type { RawRequest, Serve } from '../transport/request.ts';
import type { Offer, ReplyCache } from './replyCache.ts';

export interface PipelineParts {
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly settling: Settling;
  readonly authenticate: Authenticate;
  readonly units: Units;
  readonly journal: Journal;
  readonly refusals: Refusals;
  readonly replies: ReplyCache;
  readonly wait: Wait;
  readonly log: Log;
}

/** Ends the unit of a watcher's read, so that nothing stays of it. Some reads write, such as the lookup of a receiver. */
class Undone extends Error {
  readonly offer: Offer;

  constructor(offer: Offer) {
    super('A read of a watcher');
    this.offer = offer;
  }
}

function offerOfUndone(error: unknown): Offer {
  if (error instanceof Undone) return error.offer;
  throw error;
}

/** The two ways into the same steps. */
export interface Pipeline {
  readonly serve: Serve;
  /**
   * Answers a read as `serve` would, and leaves no trace: no entry in the journal, no event of an exchange, no use of a
   * fault rule. The platform behaves as if nobody had read.
   */
  readonly watch: Serve;
}

function askedBy({ operation, request }: RawRequest): Asked {
  return { method: operation.method, operation, hasKey: request.headers.has('idempotency-key') };
}

/** The steps of a request of the contract, from routing to reply. This function defines only their order. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { contract, handlers, settling, authenticate, units, journal, refusals, replies, wait, log } = parts;

  const answer = async (raw: RawRequest, note: Note, isWatcher: boolean): Promise<OutgoingReply> => {
    const { operation } = raw;
    const requester = await authenticate(operation, raw.request.headers, raw.path);
    note.platformId = requester.platformId;
    raw.facts.platformId = requester.platformId;
    if (operation.permission !== null) authorize(requester as TokenRequester, operation.permission);
    const isCanned = raw.request.headers.has('prefer');
    const known = isCanned ? undefined : replies.find(raw, requester, isWatcher);
    if (known !== undefined) {
      note.clock = known.clock;
      return known.reply;
    }
    const noteBody = (bytes: Uint8Array): void => {
      note.body = bytes;
    };
    const valid = await validateRequest(contract, { ...raw, noteBody });
    const canned = chooseExample(contract, operation, raw.request.headers.get('prefer'));
    if (canned !== null) return { ...canned, headers: { ...canned.headers, 'Preference-Applied': canned.applied } };

    // Validation has just checked these types.
    const call = { operation, requester, ...valid } as unknown as Call<OperationId>;
    const handler = handlers[operation.id] as unknown as Handler<OperationId>;
    // Named after the whole request, so that two parallel requests don't get the same session key from a seed.
    const purpose = `${operation.id}/${hashJson(valid)}`;
    const prepared =
      handler.prepare && (await handler.prepare(call, await settling.preparation(requester.platformId, purpose)));
    const runInUnit = (isRuleTaken: boolean) =>
      settling
        .run<Offer | undefined>(requester.platformId, async (unit) => {
          note.clock = unit.clock;
          const isRuled = hasFaultRule(unit.state.faults, operation);
          if (isRuled && !isRuleTaken && !isWatcher) return undefined;
          const replay = await replayIdempotent(unit, call);
          if (replay !== undefined) return { reply: replay, accept: () => {} };
          if (await isAnyDue(unit)) return somethingIsDue;
          const outcome = await runKeyed(unit, call, () => handler.handle(call, unit, prepared));
          const reply: OutgoingReply = outcome instanceof Problem ? sendProblem(outcome, operation) : outcome;
          validateResponse(contract, operation, reply.status, reply.body);
          await keepReply(unit, call, reply);
          // While there is a rule for the operation, no reply is cached, so that the next request fails or is delayed too.
          const isKept = !isRuled && !isRuleTaken;
          const offer = isKept ? await replies.offer(raw, requester, unit, reply) : { reply, accept: () => {} };
          if (isWatcher) throw new Undone(offer);
          return offer;
        })
        .catch(offerOfUndone);
    let done = await runInUnit(false);
    if (done === undefined) {
      // Runs in a separate unit: if the request's unit is rolled back, the count of the rule's uses must stay.
      const fault = await units.run(requester.platformId, async (unit) => takeFaultRule(unit, operation));
      if (fault !== undefined) note.fault = fault;
      const planted = fault?.drop === 'before' ? noAnswer : fault && plantedRefusal(contract, operation, fault);
      if (planted !== undefined) return planted;
      done = (await runInUnit(true)) as Offer;
    }
    const { reply, accept } = done;
    // Only now is the unit committed that the reply was made from.
    accept();
    return reply;
  };

  const answerOrRefuse = async (raw: RawRequest, note: Note, isWatcher: boolean): Promise<OutgoingReply> => {
    try {
      return await answer(raw, note, isWatcher).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        if (error instanceof CredentialsRefused && !isWatcher) refusals.note(error, raw, error.status);
        if (!isTransportCode(error.code)) validateResponse(contract, raw.operation, error.status, error.body());
        return sendProblem(error, raw.operation);
      });
    } catch (error) {
      return sendProblem(asProblem(error, log, raw.facts.id, askedBy(raw)));
    }
  };

  const openNote = ({ operation, request }: RawRequest): Note =>
    journal.open({ operationId: operation.id as OperationId, request });

  return {
    async serve(raw) {
      const note = openNote(raw);
      const reply = await answerOrRefuse(raw, note, false);
      if (note.fault === undefined) return journal.close(note, reply);
      // Noted after the delay and the loss, so that the journal has what the app got.
      const sent = await delayOrDrop(note.fault, wait, reply);
      if (sent !== reply) note.withheld = reply;
      return journal.close(note, sent);
    },
    watch: (raw) => answerOrRefuse(raw, openNote(raw), true),
  };
}
