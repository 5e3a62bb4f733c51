/** Messages of MCP as they are sent, for what the SDK's client never does. */
import { expect } from 'vitest';
import { origin, type TestSandbox } from '../sandbox/harness.ts';

type Sandbox = Pick<TestSandbox, 'fetch'>;
const accept = 'application/json, text/event-stream';

export interface Raw {
  /** Posts a message, or a list of messages. */
  post(body: unknown, query?: string): Promise<Response>;
  /** Calls a method with an id. */
  call(id: number | string, method: string, params?: object): Promise<Response>;
  subscribe(uri: string): Promise<void>;
  cancel(id: number | string): Promise<Response>;
  /** Opens the stream of notifications. */
  listen(): Promise<Response>;
}

/** Opens a session with a protocol of 2025. */
export async function openRawSession(sandbox: Sandbox, accessToken: string, query = ''): Promise<Raw> {
  const authorization = `Bearer ${accessToken}`;
  let session: Record<string, string> = {};
  const send = (method: string, body?: unknown): Promise<Response> =>
    sandbox.fetch(
      new Request(`${origin}/mcp${query}`, {
        method,
        headers: { authorization, 'content-type': 'application/json', accept, ...session },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const call: Raw['call'] = (id, method, params) => send('POST', { jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'test', version: '1' };
  const opened = await call(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining('countersign')]);
  session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
  let last = 0;
  return {
    post: (body) => send('POST', body),
    call,
    async subscribe(uri) {
      last += 1;
      const text = await (await call(`subscribe ${last}`, 'resources/subscribe', { uri })).text();
      expect(text).toContain('"result"');
    },
    cancel: (requestId) => send('POST', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    listen: () => send('GET'),
  };
}

/** Listens like a client of 2026. */
export function listenRaw(sandbox: Sandbox, accessToken: string, uris: readonly string[]): Promise<Response> {
  const method = 'subscriptions/listen';
  const version = '2026-07-28';
  const params = {
    notifications: { resourceSubscriptions: uris },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  return sandbox.fetch(
    new Request(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept,
        'mcp-protocol-version': version,
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  );
}
