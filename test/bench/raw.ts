/**
 * The yardstick: `node:http` with nothing on top, giving each request its recorded reply. It is the most that any server
 * on this runtime could do with the same bytes. Started by main.ts with the file of recorded replies.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BenchRequest, RecordedReply } from './requests.ts';

const recorded = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  asked: BenchRequest;
  reply: RecordedReply;
}[];
const replies = new Map(
  recorded.map(({ asked, reply }) => [
    `${asked.method} ${asked.path}`,
    { status: reply.status, headers: [...reply.rawHeaders], body: Buffer.from(reply.body) },
  ]),
);

const server = createServer((request, response) => {
  const reply = replies.get(`${request.method} ${request.url}`);
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
