/**
 * The yardstick: `node:http` with nothing on top, giving each request its recorded reply. It is the most that any server
 * on this runtime could do with the same bytes. Started by targets.ts with the file of recorded replies.
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

/** A signed retry is the same request again but for its headers. */
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
  // A body is read to its end first, as any server that looks at it must.
  if (request.method === 'GET') send();
  else request.once('end', send).resume();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`raw node:http is ready at http://localhost:${(server.address() as AddressInfo).port}`);
});
