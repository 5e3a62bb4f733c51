import type { Log } from '../kernel/log.ts';
import { ConnectionDropped, type Problem } from '../kernel/problem.ts';
import type { Observer, RequestFacts } from './observe.ts';
import { type AdmitsPage, commonHeaders, createAdmitsPage } from './pages.ts';
import { asProblem, type OutgoingReply, send, sendProblem } from './reply.ts';
import { note, requireAcceptable, type Serve } from './request.ts';
import { matchPlain, type RouteMatch } from './route.ts';
import type { ShellApp } from './router.ts';

/** An app that answers requests of the web platform, in process or behind a port. */
export interface WebApp {
  fetch(request: Request): Response | Promise<Response>;
  /**
   * The same without a `Response`, for a server that writes for itself; undefined where only `fetch` will do.
   * @throws ConnectionDropped in place of an answer, as `fetch` does.
   */
  answer?(request: Request): Promise<OutgoingReply> | undefined;
  /** Takes note of a request that is refused before it can be given to `fetch`, and gives the reply. */
  refuse?(problem: Problem, head?: BareHead): OutgoingReply;
  /** Whether pages of that origin may change something; a server asks before it gives their requests to `fetch`. */
  readonly admitsPage?: AdmitsPage;
}

interface BareHead {
  readonly method: string;
  readonly headers: Pick<Headers, 'get'>;
}

const unknownHead: BareHead = { method: '', headers: new Headers() };

export interface ShellParts {
  readonly serve: Serve;
  readonly log: Log;
  readonly observer: Observer;
  /** Adds routes outside the contract, before its own 404. */
  readonly mount?: (app: ShellApp) => Promise<void>;
  /** Origins whose pages may call, beside those of this machine. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/**
 * The HTTP side that both servers share: routes of the contract, CORS, HEAD, OPTIONS, 404, 405, 406, and the one error
 * shape for all of them. Most requests have a plain address and are answered without the router, which is loaded when
 * the first other one comes.
 */
export function createShell({ serve, log, observer, mount, allowOrigins }: ShellParts): WebApp {
  const admitsPage = createAdmitsPage(allowOrigins);
  let router: Promise<ShellApp> | undefined;
  const route = async (request: Request, facts: RequestFacts): Promise<Response> => {
    router ??= import('./router.ts').then(({ createRouter }) => createRouter({ serve, log, mount, admitsPage }));
    return (await router).fetch(request, { facts });
  };
  const answerPlain = async (match: RouteMatch, request: Request, facts: RequestFacts): Promise<OutgoingReply> => {
    facts.operation = match.operation.id;
    let reply: OutgoingReply;
    try {
      requireAcceptable(request);
      reply = await serve({ ...match, request, facts });
    } catch (error) {
      if (error instanceof ConnectionDropped) throw error;
      reply = sendProblem(asProblem(error, log, facts.id));
    }
    return {
      ...note(reply, facts),
      headers: { ...reply.headers, ...commonHeaders(request.headers, facts, admitsPage) },
    };
  };
  const observe = async <Answer extends { readonly status: number }>(
    request: Request,
    answer: (facts: RequestFacts) => Promise<Answer>,
  ): Promise<Answer> => {
    const facts = observer.open(request.method, request.headers);
    let status = 0;
    try {
      const answered = await answer(facts);
      status = answered.status;
      return answered;
    } finally {
      observer.close(facts, status);
    }
  };
  return {
    fetch(request) {
      const match = matchPlain(request.method, request.url);
      return observe(request, async (facts) =>
        match === undefined ? route(request, facts) : send(await answerPlain(match, request, facts)),
      );
    },
    answer(request) {
      const match = matchPlain(request.method, request.url);
      return match === undefined ? undefined : observe(request, (facts) => answerPlain(match, request, facts));
    },
    refuse(problem, { method, headers } = unknownHead) {
      const facts = observer.open(method, headers);
      const reply = note(sendProblem(problem), facts);
      observer.close(facts, reply.status);
      return { ...reply, headers: { ...reply.headers, ...commonHeaders(headers, facts, admitsPage) } };
    },
    admitsPage,
  };
}
