/**
 * Promise: `countersign mcp` serves an agent over stdio. Its code is redeemed once, its token is the user's alone, and what it
 * prints holds neither.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { connectClient, type Era, eras, type TestClient } from '../support/mcp/client.ts';
import { type SandboxOverPort, sandboxAt } from '../support/mcp/overPort.ts';
import { runInProcess } from '../support/process/inProcess.ts';
import { startSandbox } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

let sandbox: SandboxOverPort;
let end = (): void => {};
beforeAll(async () => {
  const { base } = await startSandbox(['--data', ':memory:'], (kill) => (end = kill));
  sandbox = sandboxAt(base);
});
afterAll(() => end());

interface Started extends TestClient {
  /** What it printed beside the protocol. */
  printed(): string;
  readonly pid: number | null;
}

/** Starts the command with a client at its other end. */
async function start(args: readonly string[], folder: string, era: Era = '2025'): Promise<Started> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(projectRoot, 'cli/countersign.mjs'), 'mcp', '--url', sandbox.origin, ...args],
    env: { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: folder },
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (chunk) => (text += chunk));
  const client = await connectClient(transport, { era });
  return { ...client, printed: () => text, pid: transport.pid };
}

/** A start that is refused, in this process. */
async function fail(args: readonly string[], folder: string = temporaryFolder()) {
  const lifecycle = { commandLine: [], takeOver: () => {}, tellReady: () => {} };
  const { code, stdout, stderr } = await runInProcess(['mcp', ...args], {
    env: { XDG_CONFIG_HOME: folder },
    lifecycle,
  });
  expect([code, stdout]).toEqual([2, '']);
  return stderr;
}

describe('the whole walk', () => {
  it.each(
    byLength<readonly (readonly [Era, 'magic' | 'real'])[]>(
      [['2025', 'magic']],
      eras.flatMap((era) => (['magic', 'real'] as const).map((proofs) => [era, proofs] as const)),
    ),
  )('by a client of %s in %s proofs', async (era, proofs) => {
    const stage = await sandbox.openStage(proofs);
    const folder = temporaryFolder();
    const { call, printed } = await start(['--device-code', stage.deviceCode], folder, era);
    const pay = (amount: number, paymentKey: string) =>
      call('createAgentTransferOut', {
        source: { accountId: stage.accountId },
        destination: { accountId: stage.bankId },
        amount,
        paymentKey,
      });
    expect((await call('getCurrentAgent')).output).toMatchObject({ id: stage.agentId, isPaused: false });
    expect((await pay(2500, 'bill 1')).output).toMatchObject({ status: 'APPROVED', amount: { readable: '25.00 USD' } });
    expect((await pay(2500, 'bill 1')).output).toMatchObject({ replayed: true });
    const large = await pay(25_000, 'bill 2');
    expect(large.output.status).toBe('PENDING_APPROVAL');
    await stage.platform('POST', `/agents/${stage.agentId}/actions/${large.output.id}/approve`);
    expect((await call('getAgentAction', { actionId: large.output.id })).output.status).toBe('APPROVED');
    const doubtful = await pay(20_000, 'bill 3');
    await stage.platform('POST', `/agents/${stage.agentId}/actions/${doubtful.output.id}/reject`, {
      reason: 'Not yet.',
    });
    expect((await call('getAgentAction', { actionId: doubtful.output.id })).output).toMatchObject({
      status: 'REJECTED',
      reason: { untrustedText: 'Not yet.' },
    });
    expect((await pay(40_000, 'bill 4')).text).toContain('POLICY_VIOLATION (dailyLimit)');
    await stage.platform('PATCH', `/agents/${stage.agentId}`, { isPaused: true });
    expect((await pay(100, 'bill 5')).text).toContain('The platform has paused this agent.');
    expect(printed()).toBe('');
    expectPrivate(folder);
  });
});

/** The one file that was kept is for its user alone. */
function expectPrivate(folder: string): string {
  const kept = join(folder, 'countersign/agents');
  const files = readdirSync(kept);
  expect(files).toHaveLength(1);
  const file = join(kept, files[0] ?? '');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  return readFileSync(file, 'utf8');
}

describe('connecting', () => {
  it('redeems a device code once, and then goes on with the token, with the code or without it', async () => {
    const { agentId, deviceCode } = await sandbox.openStage('magic');
    const folder = temporaryFolder();
    for (const args of [['--device-code', deviceCode], ['--device-code', deviceCode], []].slice(0, byLength(2, 3))) {
      const { call, client } = await start(args, folder);
      expect((await call('getCurrentAgent')).output.id).toBe(agentId);
      await client.close();
    }
    expect(expectPrivate(folder)).not.toContain(deviceCode);
  });

  it.each(byLength<readonly Era[]>(['2025'], eras))(
    'keeps nothing with --ephemeral, also for a client of %s',
    async (era) => {
      const { agentId, deviceCode } = await sandbox.openStage('magic');
      const folder = temporaryFolder();
      const { call, client, pid, printed } = await start(['--device-code', deviceCode, '--ephemeral'], folder, era);
      expect((await call('getCurrentAgent')).output.id).toBe(agentId);
      expect(existsSync(join(folder, 'countersign'))).toBe(false);
      // And its process ends with its input, and has said nothing but the protocol.
      await client.close();
      await expect.poll(() => isRunning(pid)).toBe(false);
      expect(printed()).toBe('');
    },
  );

  it.each([
    ['without a code or a token', [], 'No token is kept for this address'],
    ['with both', ['--device-code', 'agent-abcd-2345', '--token', 'x'], 'not both'],
    ['with a token that is none', ['--token', 'a b'], 'characters that no access token has'],
    ['with an address that is none', ['--url', 'localhost'], 'is no address'],
    ['with credentials in the address', ['--url', 'http://user:hush@localhost:1'], 'has credentials in it'],
    ['with a threshold that is none', ['--token', 'x', '--ask-above', '1.50'], '--ask-above takes an amount'],
    ['where nothing answers', ['--url', 'http://localhost:1', '--device-code', 'agent-abcd-2345'], 'Nothing answers'],
  ])('%s: says so and ends with 2', async (_name, args, said) => {
    const told = await fail(args);
    expect(told).toContain(said);
    expect(told).not.toMatch(/agent-abcd-2345|hush/);
  });

  it('with a code that was redeemed: asks for a new one, and does not repeat it', async () => {
    const { deviceCode } = await sandbox.openStage('magic');
    await sandbox.redeem(deviceCode);
    const told = await fail(['--url', sandbox.origin, '--device-code', deviceCode]);
    expect(told).toContain('DEVICE_CODE_INVALID, redeemed');
    expect(told).not.toContain(deviceCode);
  });

  it('says so where the token can not be kept', async () => {
    const { deviceCode } = await sandbox.openStage('magic');
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'countersign'));
    writeFileSync(join(folder, 'countersign/agents'), '');
    expect(await fail(['--url', sandbox.origin, '--device-code', deviceCode], folder)).toContain('could not be kept');
  });
});

function isRunning(pid: number | null): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the tester's tools", () => {
  it.each(byLength([], ['move the clock, plant a fault, read codes, and answer what waits']))('%s', async () => {
    const stage = await sandbox.openStage('magic');
    const args = ['--device-code', stage.deviceCode, '--ephemeral', '--platform', '--credentials', stage.credentials];
    const { call, client } = await start(args, temporaryFolder());
    onTestFinished(() => client.close());
    const pay = (amount: number, paymentKey: string) =>
      call('createAgentTransferOut', {
        source: { accountId: stage.accountId },
        destination: { accountId: stage.bankId },
        amount,
        paymentKey,
      });
    const before = (await call('getClock')).output.now;
    const { output } = await call('updateClock', { advanceSeconds: 3600 });
    expect(Date.parse(output.now) - Date.parse(before)).toBeGreaterThanOrEqual(3_600_000);
    const rules = [{ operation: 'createAgentTransferOut', status: 503, times: 1 }];
    expect((await call('replaceFaults', { rules })).isError).toBe(false);
    expect((await pay(100, 'bill 1')).text).toMatch(/503[\s\S]*Call again later/);
    expect((await call('getFaults')).output).toMatchObject({ rules: [] });
    expect((await call('getOutbox')).output).toEqual({ data: expect.any(Array) });
    const { output: waiting } = await pay(20_000, 'bill 2');
    expect((await call('listAgentApprovals')).output.items).toMatchObject([{ id: waiting.id }]);
    const approved = await call('approveAgentAction', { agentId: stage.agentId, actionId: waiting.id });
    expect(approved.output.status).toBe('APPROVED');
    const { output: doubtful } = await pay(20_000, 'bill 3');
    const rejected = await call('rejectAgentAction', { agentId: stage.agentId, actionId: doubtful.id, reason: 'No.' });
    expect(rejected.output).toMatchObject({ status: 'REJECTED', reason: { untrustedText: 'No.' } });
  });
});
