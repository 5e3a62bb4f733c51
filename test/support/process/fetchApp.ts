/** Puts apps that are only a `fetch` on a port, such as a page's server or a sandbox with a filter before it. */
import { type ExchangeHandler, noAnswer, type Reply, urlOf } from '../../../mocks/exchange/exchange.ts';
import { send } from '../../../mocks/exchange/reply.ts';
import { ConnectionDropped } from '../../../mocks/exchange/web.ts';
import type { BoundServer } from '../../../mocks/sandbox/node/listening/bind.ts';
import { type ListenSettings, listen as listenTo } from '../../../mocks/sandbox/node/listening/server.ts';
import type { Problem } from '../../../mocks/sandbox/tools/problem.ts';
import type { WebApp } from '../../../mocks/sandbox/transport/front.ts';
import { createAdmitsPage } from '../../../mocks/sandbox/transport/pages.ts';
import { sendProblem } from '../../../mocks/sandbox/transport/problems.ts';

export interface FetchApp {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** What a server asks an app for in addition. What is absent gets a default. */
  readonly onPort?: Partial<WebApp>;
}

/** Puts the app on a port like a sandbox. */
export function listen(app: FetchApp, host: string, port: number, settings?: ListenSettings): Promise<BoundServer> {
  const {
    answer,
    fetch,
    refuse = refusePlainly,
    refuseTarget = async (problem: Problem) => refusePlainly(problem),
    admitsPage = createAdmitsPage(),
    endStreams = () => {},
  } = app.onPort ?? {};
  // A filter that a test puts before `fetch` must see every request.
  const isAsMade = answer !== undefined && fetch === app.fetch;
  const parts = { answer: isAsMade ? answer : fromFetch(app.fetch), refuse, refuseTarget, admitsPage, endStreams };
  return listenTo(parts, host, port, settings);
}

const refusePlainly: WebApp['refuse'] = (problem) => send(sendProblem(problem));

/** The inverse of `toFetch`. */
export function fromFetch(fetch: FetchApp['fetch']): ExchangeHandler {
  return async (request) => {
    const { method, headers, body } = request;
    const hasBody = body !== null && method !== 'GET' && method !== 'HEAD';
    const sent = hasBody ? { body: new Uint8Array(await body.read(Number.POSITIVE_INFINITY)) } : {};
    try {
      return toReply(await fetch(new Request(urlOf(request), { method, headers: [...headers], ...sent })));
    } catch (error) {
      if (error instanceof ConnectionDropped) return noAnswer;
      throw error;
    }
  };
}

function toReply({ status, headers, body }: Response): Reply {
  return { status, headers: Object.fromEntries(headers), content: body ?? undefined };
}
