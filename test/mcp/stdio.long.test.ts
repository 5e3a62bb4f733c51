/**
 * Promise: `countersign mcp` redeems a code once and stores the token so that only its user can read it. It ends when
 * its input ends, and has tools for testers on request.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eras } from '../support/mcp/client.ts';
import { type SandboxOverPort, sandboxAt } from '../support/mcp/overPort.ts';
import { expectPrivate, startMcp } from '../support/mcp/overStdio.ts';
import { startSandbox } from '../support/process/process.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

let sandbox: SandboxOverPort;
let end = (): void => {};
beforeAll(async () => {
  const { base } = await startSandbox(['--data', ':memory:'], (kill) => (end = kill));
  sandbox = sandboxAt(base);
});
afterAll(() => end());

describe('connecting', () => {
  it('redeems a device code once, and then goes on with the token, with the code or without it', async () => {
    const { agentId, deviceCode } = await sandbox.openStage('magic');
    const folder = temporaryFolder();
    for (const args of [['--device-code', deviceCode], ['--device-code', deviceCode], []]) {
      const { call, client } = await startMcp(sandbox.origin, args, folder);
      expect((await call('getCurrentAgent')).output.id).toBe(agentId);
      await client.close();
    }
    expect(expectPrivate(folder)).not.toContain(deviceCode);
  });

  it.each(eras)('keeps nothing with --ephemeral, also for a client of %s', async (era) => {
    const { agentId, deviceCode } = await sandbox.openStage('magic');
    const folder = temporaryFolder();
    const { call, client, pid, printed } = await startMcp(
      sandbox.origin,
      ['--device-code', deviceCode, '--ephemeral'],
      folder,
      era,
    );
    expect((await call('getCurrentAgent')).output.id).toBe(agentId);
    expect(existsSync(join(folder, 'countersign'))).toBe(false);
    // The process ends with its input, and has written only protocol messages.
    await client.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(printed()).toBe('');
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
  it('move the clock, plant a fault, read codes, and answer what waits', async () => {
    const stage = await sandbox.openStage('magic');
    const args = ['--device-code', stage.deviceCode, '--ephemeral', '--platform', '--credentials', stage.credentials];
    const { call, client } = await startMcp(sandbox.origin, args, temporaryFolder());
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
