/** Promise: `npm start` logs every request in the requested format, or nothing with `--log off`. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { run, startSandbox } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { basic } from '../support/sandbox/harness.ts';

const headers = { authorization: basic('sandbox', 'sandbox'), 'X-Request-Id': 'mine-1' };
const entry = 'cli/countersign.mjs start';

async function linesOf(...args: string[]): Promise<string[]> {
  const started = run(entry, ['--port', '0', '--data', ':memory:', ...args]);
  const [, base = ''] = await started.waitFor(/[Rr]eady at (http:[^\s"]+)/);
  await fetch(`${base}/customers`, { headers });
  await fetch(`${base}/customers/Customer:x`, { headers });
  await fetch(new URL('/__sandbox/health', base));
  await fetch(new URL('/__sandbox/clock', base), { headers });
  started.child.kill('SIGTERM');
  expect(await started.exit).toBe(0);
  return started
    .output()
    .split('\n')
    .filter((line) => line !== '');
}

test('pretty: a line for people per request, below what is said at the start', async () => {
  const requests = (await linesOf()).filter((line) => line.includes('mine-1'));
  expect(requests).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} {2}GET {4}listCustomers +200 +\d+\.\d ms {2}sandbox {2}mine-1$/),
    expect.stringMatching(/ {2}GET {4}getCustomer +404 +\d+\.\d ms {2}sandbox {2}mine-1 {2}USER_NOT_FOUND$/),
    // The method appears once, also if there is no operation to name.
    expect.stringMatching(/ {2}GET {4}\/__sandbox\/clock +200 /),
  ]);
});

test.each(
  byLength(
    [],
    ['json: every line is an object, those of the start and the stop too; what a monitor asks for is left out'],
  ),
)('%s', async () => {
  const lines = (await linesOf('--log', 'json')).map((line) => JSON.parse(line));
  expect(lines).toEqual([
    {
      time: expect.any(String),
      level: 'info',
      message: expect.stringMatching(/^Ready at http/),
      address: expect.any(String),
    },
    expect.objectContaining({ level: 'info', id: 'mine-1', operation: 'listCustomers', status: 200, code: null }),
    expect.objectContaining({ id: 'mine-1', operation: 'getCustomer', status: 404, code: 'USER_NOT_FOUND' }),
    expect.objectContaining({ id: 'mine-1', operation: 'GET /__sandbox/clock', status: 200 }),
    expect.objectContaining({ message: expect.stringMatching(/^SIGTERM/) }),
  ]);
});

test.each(byLength([], ['off: no line of a request']))('%s', async () => {
  expect((await linesOf('--log', 'off')).filter((line) => line.includes('mine-1'))).toEqual([]);
});

// `script` gives the process a terminal.
test.each(byLength([], [{}, { NO_COLOR: '1' }]))('a terminal sees a refusal in colour, unless %j', async (more) => {
  const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;
  const line = `${process.execPath} ${entry.replace('cli/', `${projectRoot}/cli/`)} --port 0 --data :memory:`;
  const terminal = spawn('script', ['--quiet', '--flush', '--command', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color', ...more },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  let seen = '';
  const wait = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = pattern.exec(seen);
        if (found !== null) resolve(found);
      };
      terminal.stdout.on('data', look);
      look();
    });
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  const [, base = ''] = await wait(/ready at (http:[^\s"]+)/);
  await fetch(`${base}/customers/Customer:x`, { headers });
  await wait(/USER_NOT_FOUND/);
  const yellow = '\u001b[33m404\u001b[39m';
  expect(seen.includes(yellow), seen).toBe(!('NO_COLOR' in more));
  terminal.kill('SIGTERM');
});

test('another form is refused', async () => {
  const started = run(entry, ['--log', 'xml']);
  expect([await started.exit, started.output()]).toEqual([2, '--log takes pretty, json or off, not "xml".\n']);
});

test("what isn't HTTP at all gets an id too, and a line; when nobody reads them any more it goes on answering", async () => {
  const sandbox = await startSandbox(['--data', ':memory:']);
  const socket = connect(sandbox.port, '127.0.0.1');
  socket.end('NONSENSE\r\n\r\n');
  const answer = await text(socket);
  const [, id = ''] = /^HTTP\/1\.1 400 [\s\S]*?\r\nX-Request-Id: ([0-9a-f]{16}-s\d+)\r\n/.exec(answer) ?? [];
  expect(id, answer).not.toBe('');
  await sandbox.waitFor(new RegExp(` 400 .*${id} {2}INVALID_INPUT`));
  sandbox.child.stdout?.destroy();
  for (let number = 0; number < 20; number += 1) {
    expect((await fetch(`${sandbox.base}/customers`, { headers })).status).toBe(200);
  }
});
