/** Runs the workflows of the contract, each against a new sandbox. */
import type { Entry, Har } from 'har-format';
import type { Contract } from '../../contract/contract.ts';
import { basePath } from '../../contract/match.ts';
import type { Reply } from '../../mocks/exchange/exchange.ts';
import { createSandbox } from '../../mocks/sandbox/app.ts';
import { listen } from '../../mocks/sandbox/node/listening/server.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { runWorkflows } from '../workflows/run.ts';

const seed = 1;

/**
 * Runs a workflow file in a new seeded sandbox, and reads the exchanges from its journal.
 * @param now the time on the sandbox's clock
 * @throws Error that says which step failed.
 */
export async function recordWorkflow(name: string, contract: Contract, now: number): Promise<Entry[]> {
  const store = await openSqlite(':memory:');
  const log = { info: () => {}, error: (line: string, facts: object) => console.error(line, facts) };
  const parts = { store, contract, log, clock: { now: () => now }, frozenAt: now, chance: seededChance(seed) };
  const app = await createSandbox(parts);
  const server = await listen(
    { ...app, answer: async (request) => closing(await app.answer(request)) },
    'localhost',
    0,
  );
  try {
    const target = { server: server.address + basePath, control: `${server.address}/__sandbox` };
    for (const { workflowId, failure } of await runWorkflows(target, [name])) {
      if (failure === undefined) continue;
      const { stepId, exchange, checks } = failure;
      throw new Error(`${name}, ${workflowId}, step ${stepId}: ${[exchange, ...checks].join('\n  ')}`);
    }
    const headers = { Authorization: `Basic ${btoa('sandbox:sandbox')}` };
    const journal = await app.fetch(new Request(`${target.control}/journal?format=har`, { headers }));
    return ((await journal.json()) as Har).log.entries;
  } finally {
    await server.stop(0);
    await store.close();
  }
}

/**
 * Closes the connection after each reply. The runner compiles schemas for seconds between two requests, and would then
 * write to a connection that the server has ended.
 */
function closing(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, Connection: 'close' } };
}
