/**
 * The yardstick: `node:http` without a framework, which answers each request with its recorded reply. No server on this
 * runtime can be faster with the same bytes. Started by targets.ts with the file of recorded replies.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedStep } from './wire.ts';

const recorded = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RecordedStep[];
const replies = new Map(
  recorded.map(({ step, reply }) => [
    keyOf(step.method, step.path, step.isRetry === true),
    { status: reply.status, headers: [...reply.rawHeaders], body: Buffer.from(reply.body) },
  ]),
);

/** A signed retry differs from the first request only in its headers. */
function keyOf(method: string | undefined, path: string | undefined, isRetry: boolean): string {
  return isRetry ? `${method} ${path} signed` : `${method} ${path}`;
}

function isRetry(headers: IncomingHttpHeaders): boolean {
  return headers['service-wallet-signature'] !== undefined;
}

const server = createServer((request, response) => {
  const reply = replies.get(keyOf(request.method, request.url, isRetry(request.headers)));
  const send = (): void => {
    if (reply === undefined) response.writeHead(404).end();
    else response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  // Reads the body to its end first, because every server that uses it must do that.
  if (request.method === 'GET') send();
  else request.once('end', send).resume();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`raw node:http is ready at http://localhost:${(server.address() as AddressInfo).port}`);
});
