/** Records what an AI agent does through MCP, as in the guide: the requests of its tool calls. */
import type { Entry, Har } from 'har-format';
import type { Contract } from '../../contract/contract.ts';
import { basePath } from '../../contract/match.ts';
import { createSandbox } from '../../mocks/sandbox/app.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';

const seed = 1;
const origin = 'http://localhost:4010';
const policy = {
  permissions: ['CREATE_TRANSFERS', 'VIEW_TRANSACTIONS'],
  spendingLimits: { currency: 'USD', perTransactionLimit: 50_000, dailyLimit: 60_000 },
  approvalThresholds: { currency: 'USD', amount: 10_000 },
};

/**
 * Connects an agent of a seeded sandbox, calls its tools as in the guide, and reads the requests from the journal.
 * @param now the time on the sandbox's clock
 * @throws Error if a request doesn't succeed
 */
export async function recordAiAgent(contract: Contract, now: number): Promise<Entry[]> {
  const store = await openSqlite(':memory:');
  const log = { info: () => {}, error: (line: string, facts: object) => console.error(line, facts) };
  const app = await createSandbox({
    store,
    contract,
    log,
    clock: { now: () => now },
    frozenAt: now,
    chance: seededChance(seed),
  });
  try {
    const platform = caller(app.fetch, `Basic ${btoa('sandbox:sandbox')}`);
    await walk(platform, (token) => toolsOf(app.fetch, token));
    app.endStreams();
    const har = (await platform('GET', '/__sandbox/journal?format=har')) as unknown as Har;
    return har.log.entries;
  } finally {
    await store.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the guide says what a reply contains
type Call = (method: string, address: string, body?: object) => Promise<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type Tool = (name: string, args?: object) => Promise<any>;

async function walk(platform: Call, connect: (accessToken: string) => Promise<Tool>): Promise<void> {
  const ask: Call = (method, path, body) => platform(method, basePath + path, body);
  const owner = (await ask('GET', '/customers?platformCustomerId=world-individual')).data[0].id;
  const { agent, deviceCode } = await ask('POST', '/agents', { name: 'Bill payer', customerId: owner, policy });
  const { accessToken } = await ask('POST', `/agents/device-codes/${deviceCode.code}/redeem`);
  const call = await connect(accessToken);
  await call('getCurrentAgent');
  const [from] = (await call('listAgentInternalAccounts', { currency: 'USD' })).items;
  const [to] = (await call('listAgentExternalAccounts', { currency: 'USD' })).items;
  const pay = (amount: number, paymentKey: string) =>
    call('createAgentTransferOut', {
      source: { accountId: from.id },
      destination: { accountId: to.id },
      amount,
      paymentKey,
    });
  await pay(2500, 'invoice 7');
  await pay(2500, 'invoice 7');
  const large = await pay(25_000, 'invoice 8');
  await ask('POST', `/agents/${agent.id}/actions/${large.id}/approve`);
  await call('getAgentAction', { actionId: large.id });
  const doubtful = await pay(20_000, 'invoice 9');
  await ask('POST', `/agents/${agent.id}/actions/${doubtful.id}/reject`, { reason: 'Not before it was checked.' });
  await call('getAgentAction', { actionId: doubtful.id });
  // The daily limit refuses the first call, the pause refuses the second.
  await pay(40_000, 'invoice 10');
  await ask('PATCH', `/agents/${agent.id}`, { isPaused: true });
  await pay(100, 'invoice 11');
  await call('listAgentTransactions');
}

function caller(fetch: (request: Request) => Promise<Response>, authorization: string): Call {
  return async (method, address, body) => {
    const answer = await fetch(
      new Request(origin + address, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status}`);
    return answer.json();
  };
}

/** Calls the tools at `/mcp` with plain JSON-RPC, in the protocol revision that needs no session. */
async function toolsOf(fetch: (request: Request) => Promise<Response>, accessToken: string): Promise<Tool> {
  let id = 0;
  const revision = '2026-07-28';
  return async (name, args = {}) => {
    id += 1;
    const answer = await fetch(
      new Request(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': revision,
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name, arguments: args, _meta: envelope(revision) },
        }),
      }),
    );
    const { result, error } = (await answer.json()) as { result?: { structuredContent?: object }; error?: object };
    if (result === undefined) throw new Error(`${name}: ${answer.status} ${JSON.stringify(error)}`);
    return result.structuredContent;
  };
}

function envelope(revision: string): object {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'guide', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}
