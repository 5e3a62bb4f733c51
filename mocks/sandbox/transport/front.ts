import { once } from '../../../contract/memoize.ts';
import type { ExchangeHandler, ExchangeRequest, Reply, SentHeaders } from '../../exchange/exchange.ts';
import { type OutgoingReply, send } from '../../exchange/reply.ts';
import { toFetch } from '../../exchange/web.ts';
import type { Log } from '../telemetry/log.ts';
import type { Observer, RequestFacts } from '../telemetry/observe.ts';
import type { Problem } from '../tools/problem.ts';
import { type AdmitsPage, answerPreflight, commonHeaders, createAdmitsPage } from './pages.ts';
import { asProblem, sendProblem } from './problems.ts';
import { type NoteStray, note, type Serve } from './request.ts';
import { createRouter } from './router.ts';
import { createRouteTable, type RouteTable } from './routes.ts';

/** An app that answers requests, in process or behind a port. */
export interface WebApp {
  readonly answer: ExchangeHandler;
  /**
   * The same for a request of the web platform.
   * @throws ConnectionDropped instead of a reply, if a fault rule says so.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Records a request that is refused before `answer` can get it, and returns the reply. */
  refuse(problem: Problem, head?: RefusedHead): Reply;
  /** The same for a request of an app whose target no operation can have. */
  refuseTarget(problem: Problem, request: ExchangeRequest): Promise<Reply>;
  /** Ends replies that never end on their own, such as event streams, so that a server can stop. */
  endStreams(): void;
  /** Whether pages of that origin may change data. A server asks this before it passes their requests to `answer`. */
  readonly admitsPage: AdmitsPage;
}

/** The part of a request that a refusal needs. */
export interface RefusedHead {
  readonly method: string;
  readonly headers: Pick<SentHeaders, 'get'>;
}

const unknownHead: RefusedHead = { method: '', headers: { get: () => null } };

export interface FrontParts {
  readonly serve: Serve;
  /** Answers the reads of watchers, if there is a door for them. */
  readonly watch?: Serve;
  /** Notes what no operation gets, if there is a journal. */
  readonly noteStray?: NoteStray;
  readonly log: Log;
  readonly observer: Observer;
  /** Adds routes outside the contract. Called at the first request for one. */
  readonly mount?: (table: RouteTable) => Promise<void>;
  /** Ends the replies that never end on their own, if there are any. */
  readonly endStreams?: () => void;
  /** Origins whose pages may call, besides those of this machine. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/**
 * The HTTP side that both servers share: routes of the contract and beside it, CORS, HEAD, OPTIONS, 404, 405, 406, and
 * one error shape for all of them.
 */
export function createFront(parts: FrontParts): WebApp {
  const { serve, watch, noteStray, log, observer, mount, endStreams, allowOrigins } = parts;
  const admitsPage = createAdmitsPage(allowOrigins);
  const outside = once(() => fillTable(mount));
  const route = createRouter({ serve, watch, outside });
  const routeOrRefuse = async (request: ExchangeRequest, facts: RequestFacts): Promise<OutgoingReply> => {
    try {
      return await route(request, facts);
    } catch (error) {
      return refuse(asProblem(error, log, facts.id, { method: request.method }), request, facts);
    }
  };
  const refuse = (problem: Problem, request: ExchangeRequest, facts: RequestFacts) => {
    const reply = sendProblem(problem);
    return facts.isStray && noteStray !== undefined ? noteStray(request, facts, reply) : reply;
  };
  const finish = (reply: OutgoingReply, headers: RefusedHead['headers'], facts: RequestFacts): Reply => {
    const sent = send(note(reply, facts), commonHeaders(headers, facts, admitsPage));
    observer.close(facts, sent.status);
    return sent;
  };
  const answer: ExchangeHandler = async (request) => {
    const { method, headers, address } = request;
    const facts = observer.open(method, headers, address);
    const preflight = method === 'OPTIONS' ? answerPreflight(headers, admitsPage) : undefined;
    if (preflight === undefined) return finish(await routeOrRefuse(request, facts), headers, facts);
    observer.close(facts, preflight.status);
    return preflight;
  };
  return {
    answer,
    fetch: toFetch(answer),
    refuse: (problem, { method, headers } = unknownHead) =>
      finish(sendProblem(problem), headers, observer.open(method, headers, '')),
    async refuseTarget(problem, request) {
      const { method, headers, address } = request;
      const facts = observer.open(method, headers, address);
      facts.isStray = !(await outside()).owns(address);
      return finish(await refuse(problem, request, facts), headers, facts);
    },
    endStreams: () => endStreams?.(),
    admitsPage,
  };
}

async function fillTable(mount: FrontParts['mount']): Promise<RouteTable> {
  const table = createRouteTable();
  await mount?.(table);
  return table;
}
