/**
 * Promise: `countersign mcp` serves an agent over stdio, in either protocol revision and with either kind of proofs. If
 * it can't start, it says why.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Era, eras } from '../support/mcp/client.ts';
import { type SandboxOverPort, sandboxAt } from '../support/mcp/overPort.ts';
import { expectPrivate, startMcp } from '../support/mcp/overStdio.ts';
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

/** A start that fails, in this process. */
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
    const { call, printed } = await startMcp(sandbox.origin, ['--device-code', stage.deviceCode], folder, era);
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

describe('connecting', () => {
  it.each([
    ['without a code or a token', [], 'No token is kept for this address'],
    ['with both', ['--device-code', 'agent-abcd-2345', '--token', 'x'], 'not both'],
    ['with an invalid token', ['--token', 'a b'], "characters that an access token can't have"],
    ['with an invalid address', ['--url', 'localhost'], "isn't an address"],
    ['with credentials in the address', ['--url', 'http://user:hush@localhost:1'], 'contains credentials'],
    ['with an invalid threshold', ['--token', 'x', '--ask-above', '1.50'], '--ask-above takes an amount'],
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
