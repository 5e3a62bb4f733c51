/** The route `/mcp`. The code behind it is loaded with the first request that has a valid token. */
import { requestBounds } from '../../../contract/bounds.ts';
import { once } from '../../../contract/memoize.ts';
import { queryOf } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { AgentRequester } from '../domains/operation.ts';
import { readBearer } from '../steps/authenticate.ts';
import { readBody } from '../steps/readBody.ts';
import { invalid, Problem } from '../tools/problem.ts';
import { sendProblem } from '../transport/problems.ts';
import type { Route, RouteCall, RouteTable } from '../transport/routes.ts';
import type { McpRouteParts } from './parts.ts';

const path = '/mcp';
const methods: readonly Route['method'][] = ['GET', 'POST', 'DELETE'];

/** Adds `/mcp`: the operations of an agent as tools for AI agents (Streamable HTTP), with the agent's Bearer token. */
export function mountMcp(table: RouteTable, parts: McpRouteParts): void {
  const load = once(async () => {
    const { createMcpAnswer } = await import('./answer.ts');
    const { answer, close } = createMcpAnswer(parts);
    parts.onStop(close);
    return answer;
  });
  for (const method of methods) table.add({ method, path, answer: (call) => answerCall(call, parts, load) });
}

type Load = () => Promise<ReturnType<typeof import('./answer.ts').createMcpAnswer>['answer']>;

async function answerCall({ request, facts }: RouteCall, parts: McpRouteParts, load: Load): Promise<OutgoingReply> {
  facts.operation = `${request.method} ${path}`;
  if (request.method === 'HEAD') {
    const headers = { Allow: [...methods, 'OPTIONS'].join(', ') };
    throw new Problem('METHOD_NOT_ALLOWED', `This path has no HEAD, only ${headers.Allow}.`, { headers });
  }
  let agent: AgentRequester;
  try {
    agent = await parts.authenticate(request.headers);
  } catch (error) {
    if (error instanceof Problem) return sendProblem(error, { security: 'bearer' });
    throw error;
  }
  facts.platformId = agent.platformId;
  const caller = {
    accessToken: readBearer(request.headers.get('authorization')),
    platformId: agent.platformId,
    askAbove: readAskAbove(queryOf(request)),
  };
  const parsed = request.method === 'POST' ? await readBody(request, undefined, requestBounds) : undefined;
  return (await load())(request, caller, parsed);
}

/** When the client asks its user: `?askAbove=10000`, in the smallest unit of the currency of the limits, or `never`. */
function readAskAbove(query: URLSearchParams): number | 'never' | 'policy' {
  const given = query.get('askAbove');
  if (given === null) return 'policy';
  if (given === 'never') return given;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw invalid([{ in: 'query', pointer: '/askAbove', message: 'must be an amount in the smallest unit, or never' }]);
}
