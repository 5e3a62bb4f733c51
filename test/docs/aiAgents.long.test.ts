/**
 * Promise: a reader who follows the guide "Let an AI agent pay a bill, and stay in charge" gets the results that it
 * describes.
 */
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { connectClient } from '../support/mcp/client.ts';
import { startSandbox } from '../support/process/process.ts';
import { readGuide, runShell } from '../support/requests/snippets.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const guide = readGuide('openapi/guides/08-ai-agents.md');

interface Configuration {
  readonly mcpServers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;
}

function configured(deviceCode: string): readonly string[] {
  const { mcpServers } = JSON.parse(guide.snippets('config')) as Configuration;
  const { command, args } = mcpServers['bill-payer'] ?? { command: '', args: [] };
  expect([command, args[0]]).toEqual(['npx', 'countersign']);
  return args.slice(1).map((one) => (one === 'AGENT-XXXX-XXXX' ? deviceCode : one));
}

it('has a configuration that is JSON and starts the command with a device code', () => {
  expect(configured('AGENT-1234-ABCD')).toEqual(['mcp', '--device-code', 'AGENT-1234-ABCD']);
});

it('pays, waits for the platform, meets the limit, and is paused, as it says', async () => {
  const { base, port } = await startSandbox(['--data', ':memory:']);
  const address = `localhost:${port}`;
  const create = guide.snippets('create');
  const lines = (await runShell(`${create}\necho $AGENT`, address)).trim().split('\n');
  const [deviceCode = '', agentId = ''] = lines;
  // Each step has a new shell, so repeat the variables that the first step set.
  const first = create.split('\n').slice(0, 3).join('\n');
  const later = (mark: string) => runShell(`${first}\nAGENT=${agentId}\n${guide.snippets(mark)}`, address);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(projectRoot, 'cli/countersign.mjs'), ...configured(deviceCode), '--url', new URL(base).origin],
    env: { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: temporaryFolder() },
  });
  const { call, client } = await connectClient(transport, { era: '2025' });
  const { messages } = await client.getPrompt({
    name: 'pay_this_bill',
    arguments: { payee: 'my bank account', amount: '25.00 USD', reference: 'invoice 7' },
  });
  expect(JSON.stringify(messages)).toContain('invoice 7');
  const [from] = (await call('listAgentInternalAccounts', { currency: 'USD' })).output.items;
  const [to] = (await call('listAgentExternalAccounts', { currency: 'USD' })).output.items;
  const pay = (amount: number, paymentKey: string) =>
    call('createAgentTransferOut', {
      source: { accountId: from.id },
      destination: { accountId: to.id },
      amount,
      paymentKey,
    });
  const shown = [...guide.text.matchAll(/```text\n(.*)\n```/g)].map(([, line]) => line ?? '');
  expect(shown).toHaveLength(3);

  expect((await pay(2500, 'invoice 7')).text.split('\n')[0]).toBe(shown[0]);
  const large = await pay(25_000, 'invoice 8');
  expect(large.text.split('\n')[0]).toBe(shown[1]);
  await later('approve');
  expect((await call('getAgentAction', { actionId: large.output.id })).output.status).toBe('APPROVED');
  const refused = await pay(40_000, 'invoice 9');
  expect(refused.text.split('\n')[0]).toBe(shown[2]);
  expect(refused.text).toContain('325.00 USD is left');
  await later('pause');
  expect((await pay(100, 'invoice 10')).text).toContain('The platform has paused this agent.');
});
