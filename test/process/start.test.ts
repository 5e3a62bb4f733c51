/** Promise: one command starts the sandbox, one line says that it is ready or why not, and it stops cleanly. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, startSandbox } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic } from '../support/sandbox/harness.ts';

const entry = 'cli/countersign.mjs start';
const headers = { authorization: basic('sandbox', 'sandbox') };

describe('ready', () => {
  it('case 119: prints address, credentials and a curl that works, once it answers; a taken port is one clear line and exit code 2', async () => {
    const sandbox = await startSandbox(['--data', ':memory:']);
    expect(sandbox.output()).toMatch(/curl -u sandbox:sandbox http:\/\/localhost:\d+\/2025-10-13\/customers\n/);
    expect(sandbox.output()).toMatch(/^Countersign sandbox is ready[\s\S]*\n {2}guide +README\.md\n/);
    const addresses = [...sandbox.output().matchAll(/^ {2}(?:start page|\w+) +(http:\S+)/gm)].map(
      ([, address = '']) => address,
    );
    expect(addresses.map((address) => new URL(address).pathname)).toEqual([
      '/__sandbox/outbox',
      '/__sandbox/clock',
      '/__sandbox/faults',
      '/__sandbox/journal',
      '/console',
      '/reference',
      '/openapi.json',
      '/',
    ]);
    for (const address of addresses) expect((await fetch(address, { headers })).status, address).toBe(200);
    const health = await fetch(new URL('/__sandbox/health', sandbox.base));
    expect([health.status, await health.json()]).toEqual([200, { status: 'ready' }]);
    expect((await fetch(`${sandbox.base}/customers`, { headers })).status).toBe(200);
    const second = run(entry, ['--data', ':memory:', '--port', String(sandbox.port)]);
    expect(await second.exit).toBe(2);
    expect(second.output()).toMatch(/^Port \d+ is taken\. .*--port \d+.*\n$/);
  });

  it.each(byLength([], ['repeats a seeded run byte for byte']))('%s', async () => {
    const answers = [];
    for (let start = 0; start < 2; start += 1) {
      const sandbox = await startSandbox(['--data', ':memory:', '--seed', '7']);
      const call = async (method: string, path: string, body?: object): Promise<string> => {
        const json = body === undefined ? {} : { body: JSON.stringify(body) };
        const init = { method, headers: { ...headers, 'content-type': 'application/json' }, ...json };
        return (await fetch(sandbox.base + path, init)).text();
      };
      const transcript = [await call('GET', '/customers'), await call('GET', '/customers/internal-accounts')];
      transcript.push(await call('POST', '/tokens', { name: 'ci', permissions: ['VIEW'] }));
      const wallet = JSON.parse(await call('GET', '/customers/internal-accounts?type=EMBEDDED_WALLET')).data[0].id;
      const credential = await call('POST', '/auth/credentials', { type: 'EMAIL_OTP', accountId: wallet });
      const proof = { type: 'EMAIL_OTP', otp: '000000', clientPublicKey: `04${publicPoint}` };
      transcript.push(credential, await call('POST', `/auth/credentials/${JSON.parse(credential).id}/verify`, proof));
      expect(transcript.at(-1)).toContain('encryptedSessionSigningKey');
      answers.push(transcript);
    }
    expect(answers[1]).toEqual(answers[0]);
  });
});

// The base point of P-256 (SEC 2, 2.4.2): a valid public key that nobody uses.
const publicPoint =
  '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';

describe('not ready', () => {
  const refused: [args: string[], message: RegExp][] = [
    [['--port', '70000'], /--port takes a whole number from 0 to 65535, not "70000"/],
    [['--journl', 'off'], /^Unknown option '--journl'\. Did you mean --journal\?\nnpx countersign start --help lists/],
    [['--port', '0', '--host', '203.0.113.7'], /Other machines can reach 203\.0\.113\.7: give a --control-token/],
    [['--port', 'abc'], /--port takes a whole number from 0 to 65535/],
    [['--seed', '1.5'], /--seed takes a whole number/],
    [['extra'], /Too many arguments[\s\S]*npx countersign start --help/],
    [['--port', '0', '--host', '203.0.113.7', '--control-token', 't'], /Can't listen on 203\.0\.113\.7/],
    [['--proofs', 'some'], /--proofs takes magic or real, not "some"/],
  ];

  it.each(byLength(refused.slice(0, 2), refused))('refuses %j and says what it takes', async (args, message) => {
    const started = run(entry, ['--data', ':memory:', ...args]);
    expect(await started.exit).toBe(2);
    expect(started.output()).toMatch(message);
  });

  it.each(byLength([], ["file that isn't a data file"]))('refuses a %s, and leaves it as it is', async () => {
    const file = join(temporaryFolder(), 'notes.txt');
    const notes = 'These are my notes, not a database. '.repeat(100);
    writeFileSync(file, notes);
    const started = run(entry, ['--port', '0', '--data', file]);
    expect(await started.exit).toBe(2);
    expect(started.output()).toMatch(
      /^.*notes\.txt isn't a Countersign data file\. Choose another --data path, or .*\.\n$/,
    );
    expect(readFileSync(file, 'utf8')).toBe(notes);
  });

  it('says which Node it needs to one that is older', async () => {
    // The check reads process.versions, so this simulates an older Node.
    const older = `Object.defineProperty(process.versions, 'node', { value: '20.19.0' });`;
    const preload = join(temporaryFolder(), 'older.cjs');
    writeFileSync(preload, older);
    const started = run(entry, ['--port', '0'], { ...process.env, NODE_OPTIONS: `--require ${preload}` });
    expect(await started.exit).toBe(2);
    expect(started.output()).toMatch(/^countersign start needs Node 24, and this is 20\.19\.0\. .*npm ci.*\n$/);
  });
});

describe('stop', () => {
  it.each(byLength<NodeJS.Signals[]>(['SIGTERM'], ['SIGTERM', 'SIGINT']))(
    '%s: finishes what is in flight, exits with 0, frees the port',
    async (signal) => {
      const file = join(temporaryFolder(), 'stop.sqlite');
      const sandbox = await startSandbox(['--data', file]);
      const body = JSON.stringify({ name: 'in flight', permissions: ['VIEW'] });
      const socket = connect(sandbox.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      const head = `POST /2025-10-13/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\n`;
      socket.write(
        `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
      );
      // If a second connection is answered, the first one's bytes have arrived.
      await fetch(`${sandbox.base}/customers`, { headers });
      sandbox.child.kill(signal);
      await sandbox.waitFor(/finishing what is in flight/);
      socket.write(body.slice(10));
      expect(await sandbox.exit).toBe(0);
      expect(answer).toMatch(/^HTTP\/1\.1 201 /);
      const listener = createServer();
      await new Promise<void>((resolve) => listener.listen(sandbox.port, '127.0.0.1', resolve));
      await new Promise((resolve) => listener.close(resolve));
    },
  );

  it('case 119: npm passes the signal on, and no process stays behind', async () => {
    const npm = spawn('npm', ['start', '--', '--port', '0', '--data', ':memory:'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    onTestFinished(() => {
      if (npm.exitCode === null) process.kill(-(npm.pid as number), 'SIGKILL');
    });
    let text = '';
    const base = await new Promise<string>((resolve) => {
      npm.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const match = /ready at (\S+)\n/.exec(text);
        if (match?.[1] !== undefined) resolve(match[1]);
      });
    });
    npm.kill('SIGTERM');
    expect(await new Promise((resolve) => npm.once('close', resolve))).toBe(0);
    await expect(fetch(`${base}/customers`, { headers })).rejects.toThrow();
  });
});
