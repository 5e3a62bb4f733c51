/** Promise: the attacks of shares.test.ts fail against a process that lets other machines in, too. */
import { expect, onTestFinished, test } from 'vitest';
import { attackListeners, attackSessions } from '../support/mcp/attacks.ts';
import { startSandbox } from '../support/process/process.ts';
import { origin, sandboxOver, type TestSandbox } from '../support/sandbox/harness.ts';

async function start(): Promise<TestSandbox> {
  const flags = ['--data', ':memory:', '--host', '0.0.0.0', '--control-token', 'operator'];
  const { child, exit, port } = await startSandbox(flags);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });
  return sandboxOver(async (request) => {
    const body = request.body === null ? {} : { body: await request.text() };
    const { method, headers, signal } = request;
    return fetch(request.url.replace(origin, `http://localhost:${port}`), { method, headers, signal, ...body });
  });
}

test('64 × /mcp?askAbove=N with a subscription of one token silences nobody', async () => {
  await attackListeners(await start());
});

test('101 values of askAbove with one token end no session of another agent', async () => {
  await attackSessions(await start());
});
