/**
 * Promise: an independent tool agrees with the sandbox. Every operation, with each example of its body, is sent through
 * `prism proxy --errors`, which returns an error if a request or reply breaks the contract.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basePath } from '../../contract/match.ts';
import { operations } from '../../generated/operations.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { startSandbox } from '../support/process/process.ts';
import { authorizationFor, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { basic, type SendOptions, sandboxOver } from '../support/sandbox/harness.ts';

const atEnd: (() => void)[] = [];
afterAll(() => {
  for (const end of atEnd) end();
});

let sandbox: string;
let prism: string;
/** What the service answers instead of the sandbox. */
let lie: object | undefined;
beforeAll(async () => {
  const started = await startSandbox(['--data', ':memory:', '--seed', '1', '--log', 'off'], (kill) => atEnd.push(kill));
  sandbox = started.base;
  prism = await startPrism('proxy', 'generated/openapi.json', await startService(), '--errors');
}, 180_000);

/** The service behind Prism: the sandbox, or a stand-in with a wrong answer. */
async function startService(): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, connection: _close, ...headers } = request.headers as Record<string, string>;
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const answer =
      lie === undefined
        ? await fetch(sandbox + request.url, { method: request.method ?? 'GET', headers, ...body })
        : Response.json(lie);
    const { 'content-encoding': _coding, 'transfer-encoding': _length, ...sent } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, sent).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts Prism like `npx prism`. @returns its address */
function startPrism(...args: readonly string[]): Promise<string> {
  const script = join(projectRoot, 'node_modules/.bin/prism');
  const words = [script, ...args, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, words, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd.push(() => child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const address = /listening on (http:\/\/\S+)/.exec(text)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    child.once('close', () => reject(new Error(text)));
  });
}

/** Prism's objections, in its own words. */
const objections: string[] = [];
const judged = sandboxOver(async (request) => {
  const { pathname, search } = new URL(request.url);
  const isControl = pathname.startsWith('/__sandbox');
  const path = pathname.replace(basePath, '') + search;
  const body = request.body === null ? {} : { body: await request.arrayBuffer() };
  const address = isControl ? new URL(path, sandbox).href : prism + path;
  const response = await fetch(address, { method: request.method, headers: request.headers, ...body });
  const text = await response.clone().text();
  if (text.includes('https://stoplight.io/prism/errors')) objections.push(`${request.method} ${path}: ${text}`);
  return response;
});

/** Sends a request, and returns whether Prism objects. */
async function isRefused(path: string, options?: SendOptions): Promise<boolean> {
  const before = objections.length;
  const { status } = await judged.send('GET', path, options);
  const isObjected = objections.splice(before).length > 0;
  // For a false reply, Prism's own answer is a 500.
  if (!isObjected) expect(status, path).toBeLessThan(500);
  return isObjected;
}

test('Prism finds nothing in what the sandbox takes and gives', { timeout: 300_000 }, async () => {
  const targets = await openTargets(judged);
  let calls = 0;
  for (const operation of operations) {
    const authorization = authorizationFor(operation, targets);
    const credentials = authorization === undefined ? {} : { authorization };
    const examples = requestExamples(operation);
    for (const body of examples.length === 0 ? [undefined] : examples) {
      const options = { ...credentials, ...(body === undefined ? {} : { body }) };
      const { status } = await judged.send(operation.method, pathOf(operation, targets), options);
      expect(status, operation.id).toBeLessThan(500);
      calls += 1;
    }
  }
  expect(calls).toBeGreaterThan(operations.length);
  expect(objections.splice(0)).toEqual([]);
});

test('Prism notices a reply that the contract does not have', async () => {
  lie = { data: [], hasMore: 'no', totalCount: 0 };
  expect(await isRefused('/customers')).toBe(true);
  lie = undefined;
  expect(await isRefused('/customers')).toBe(false);
});

test('npx prism mock generated/openapi.json serves the contract as it is', { timeout: 120_000 }, async () => {
  const mock = await startPrism('mock', 'generated/openapi.json');
  const headers = { authorization: basic('any', 'pair') };
  const response = await fetch(`${mock}/customers`, { headers });
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ data: expect.any(Array) })]);
});

// Known mistakes of Prism. If a later version is right, the test fails.
describe('Prism is wrong', () => {
  const passed: readonly (readonly [what: string, path: string])[] = [
    ['a number in another spelling', '/customers?limit=1e1'],
    ['a number with a space', '/customers?limit=%2020'],
    ['a parameter that there is none of', '/customers?colour=red'],
  ];
  test.each(passed)('to let pass %s, which the sandbox refuses', async (_what, path) => {
    expect(await isRefused(path)).toBe(false);
    expect((await judged.send('GET', path)).status).toBe(400);
  });

  test('to let pass a field of a reply that unevaluatedProperties forbids', async () => {
    const page = (await judged.send('GET', '/tokens')).body;
    lie = { ...page, data: page.data.map((token: object) => ({ ...token, colour: 'red' })) };
    expect(await isRefused('/tokens')).toBe(false);
    lie = undefined;
  });

  test('to refuse a password with a colon, which HTTP Basic allows (RFC 7617)', async () => {
    expect(await isRefused('/customers', { authorization: basic('sandbox', 'with:colon') })).toBe(true);
  });
});
