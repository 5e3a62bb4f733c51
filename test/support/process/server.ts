/** A sandbox on a real port, and raw requests to it that a well-behaved HTTP client would not send. */
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { basePath } from '../../../contract/match.ts';
import type { ListenSettings } from '../../../mocks/sandbox/node/listening/server.ts';
import { type Answer, basic, type TestSandbox } from '../sandbox/harness.ts';
import { listen } from './fetchApp.ts';

export interface SandboxOnPort {
  /** The base address with the version, as users have it. */
  readonly base: string;
  readonly port: number;
  /** Sends bytes over a new connection and reads the reply. Nothing is added; send `Connection: close` yourself. */
  exchange(...pieces: readonly (string | Uint8Array)[]): Promise<Answer>;
  /** Sends a request line with Host, credentials and `Connection: close`, and no body. */
  request(line: string, ...headers: readonly string[]): Promise<Answer>;
}

/** Puts a test's sandbox on a free port until the test ends. */
export async function openPort(
  sandbox: Pick<TestSandbox, 'fetch' | 'onPort'>,
  { host = 'localhost', ...settings }: ListenSettings & { readonly host?: string } = {},
): Promise<SandboxOnPort> {
  const server = await listen(sandbox, host, 0, settings);
  onTestFinished(() => server.stop(0));
  const port = Number(new URL(server.address).port);
  const exchange = (...pieces: readonly (string | Uint8Array)[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(port, '127.0.0.1', () => {
        for (const piece of pieces) socket.write(piece);
      });
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('close', () => resolve(readAnswer(Buffer.concat(chunks).toString('utf8'))));
      socket.on('error', reject);
    });
  return {
    base: server.address + basePath,
    port,
    exchange,
    request: (line, ...headers) => exchange(`${[line, ...commonHeaders, ...headers].join('\r\n')}\r\n\r\n`),
  };
}

/** Host, credentials of the default platform, and `Connection: close`. */
const commonHeaders: readonly string[] = [
  'Host: localhost',
  `Authorization: ${basic('sandbox', 'sandbox')}`,
  'Connection: close',
];

function readAnswer(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string]));
  const body = rest.join('\r\n\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: body === '' ? undefined : JSON.parse(body),
  };
}
