/**
 * Promise: MCP's own tools find no fault in `/mcp`. Every scenario of the conformance suite that needs no fixture
 * passes, and the inspector lists and calls every tool, over both transports.
 */

import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { agentTools } from '../../generated/mcpTools.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type StageOverPort, sandboxAt } from '../support/mcp/overPort.ts';
import { install, runProcess } from '../support/process/install.ts';
import { startSandbox } from '../support/process/process.ts';

const folder = join(import.meta.dirname, 'judges');
const packages = join(folder, 'node_modules/@modelcontextprotocol');
const expected = join(folder, 'expected.yaml');

beforeAll(async () => {
  await install(folder, () => {});
}, 600_000);

async function openStage(): Promise<{ origin: string; stage: StageOverPort; accessToken: string }> {
  const { base } = await startSandbox(['--data', ':memory:']);
  const sandbox = sandboxAt(base);
  const stage = await sandbox.openStage('magic');
  const accessToken = await sandbox.redeem(stage.deviceCode);
  return { origin: sandbox.origin, stage, accessToken };
}

/**
 * Adds the credentials to each request, because the suite can't send any. @returns the address of the proxy that adds
 * them
 */
async function withToken(origin: string, accessToken: string): Promise<string> {
  const { port, hostname } = new URL(origin);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${accessToken}` };
    const passed = request({ host: hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`;
}

it('the conformance suite passes but for what is listed, and all that is listed fails', async () => {
  const { origin, accessToken } = await openStage();
  const url = await withToken(origin, accessToken);
  const args = [join(packages, 'conformance/dist/index.js'), 'server', '--url', url, '--suite', 'all'];
  const { code, output } = await runProcess(process.execPath, [...args, '--expected-failures', expected], {
    cwd: folder,
  });
  expect([code, output]).toEqual([0, expect.stringContaining('Baseline check passed')]);
  const passed = output.split('\n').filter((line) => line.startsWith('✓') && !line.includes(': 0 passed'));
  expect(passed.length).toBeGreaterThanOrEqual(10);
  const { server } = parse(readFileSync(expected, 'utf8')) as { server: string[] };
  expect(new Set(server).size).toBe(server.length);
});

describe('the inspector', () => {
  const launcher = join(packages, 'inspector/clients/launcher/build/index.js');
  const inspect = async (target: readonly string[], ...args: readonly string[]) => {
    const { code, output } = await runProcess(
      process.execPath,
      [launcher, '--cli', ...target, '--format', 'json', '--quiet', ...args],
      { cwd: folder },
    );
    return { code, output, result: output.startsWith('{') ? JSON.parse(output).result : undefined };
  };

  it.each(['over HTTP', 'over stdio'])(
    'lists and calls every tool %s',
    async (way) => {
      const { origin, stage, accessToken } = await openStage();
      const overHttp = [`${origin}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${accessToken}`];
      const command = join(projectRoot, 'cli/countersign.mjs');
      const target =
        way === 'over HTTP' ? overHttp : [process.execPath, command, 'mcp', '--url', origin, '--token', accessToken];
      const listed = await inspect(target, '--method', 'tools/list', '--strict');
      expect([listed.code, listed.output]).toEqual([0, expect.stringContaining('"tools"')]);
      expect([listed.code, listed.result.tools.map(({ name }: { name: string }) => name)]).toEqual([
        0,
        [...agentTools.map(({ name }) => name), 'describe_account_type'],
      ]);
      const call = async (name: string, args: object) => {
        const { code, output, result } = await inspect(
          target,
          '--method',
          'tools/call',
          '--tool-name',
          name,
          '--tool-args-json',
          JSON.stringify(args),
        );
        expect([name, code, result?.structuredContent, output]).toEqual([
          name,
          0,
          expect.anything(),
          expect.anything(),
        ]);
        return result.structuredContent;
      };
      const sides = { source: { accountId: stage.accountId }, destination: { accountId: stage.bankId } };
      const added = await call('createAgentExternalAccount', {
        currency: 'MXN',
        accountInfo: {
          accountType: 'MXN_ACCOUNT',
          clabeNumber: '032180000118359719',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ines Costa' },
        },
      });
      const quote = await call('createAgentQuote', {
        source: { sourceType: 'ACCOUNT', ...sides.source },
        destination: { destinationType: 'ACCOUNT', ...sides.destination },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 500,
        paymentKey: 'quote',
      });
      const out = await call('createAgentTransferOut', { ...sides, amount: 100, paymentKey: 'out' });
      const calls: Record<string, object> = {
        describe_account_type: { accountType: 'USD_ACCOUNT' },
        getAgentAction: { actionId: out.id },
        getAgentTransaction: { transactionId: out.transactionId },
        getAgentQuote: { quoteId: quote.id },
        executeAgentQuote: { quoteId: quote.id, paymentKey: 'quote' },
        getAgentExternalAccount: { externalAccountId: added.id },
        createAgentTransferIn: { source: sides.destination, destination: sides.source, amount: 100, paymentKey: 'in' },
        deleteAgentExternalAccount: { externalAccountId: added.id },
      };
      const done = ['createAgentExternalAccount', 'createAgentQuote', 'createAgentTransferOut'];
      for (const { name } of agentTools) if (!done.includes(name)) await call(name, calls[name] ?? {});
      await call('describe_account_type', calls['describe_account_type'] ?? {});
    },
    600_000,
  );
});
