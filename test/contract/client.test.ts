/**
 * Promise: a call of the generated client always ends in one of two ways, whatever the network does: the data that the
 * contract promises, or a typed error object that says what happened. Application code never gets a SyntaxError.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { type ClientFailure, createServiceClient } from '../../generated/client.ts';
import type { ApiError } from '../../generated/types.ts';

const baseUrl = 'http://service.test/2025-10-13';
const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
const json = { 'Content-Type': 'application/json' };

function clientAnswering(answer: (request: Request) => Response | Promise<Response>) {
  const requests: Request[] = [];
  const client = createServiceClient({
    baseUrl,
    credentials,
    fetch: async (request) => {
      requests.push(request);
      return answer(request);
    },
  });
  return { client, requests };
}

const listCustomers = (client: ReturnType<typeof createServiceClient>) => client.GET('/customers');

describe('what is sent', () => {
  test.each(['http://service.test/2025-10-13', 'http://service.test/2025-10-13/', 'http://service.test/2025-10-13//'])(
    'the base address %s gives the same address',
    async (address) => {
      const requests: Request[] = [];
      const fetch = async (request: Request) => {
        requests.push(request);
        return Response.json({ data: [] });
      };
      await createServiceClient({ baseUrl: address, credentials, fetch }).GET('/customers');
      expect(requests[0]?.url).toBe('http://service.test/2025-10-13/customers');
    },
  );

  test('Basic credentials are UTF-8 (RFC 7617), and the secret may contain colons', async () => {
    const requests: Request[] = [];
    const fetch = async (request: Request) => {
      requests.push(request);
      return Response.json({ data: [] });
    };
    const mine = { clientId: 'Prüfstelle', clientSecret: 'a:b:密码' };
    await createServiceClient({ baseUrl, credentials: mine, fetch }).GET('/customers');
    const header = requests[0]?.headers.get('Authorization') ?? '';
    expect(Buffer.from(header.replace(/^Basic /, ''), 'base64').toString('utf8')).toBe('Prüfstelle:a:b:密码');
  });

  test('a client id with a colon is refused before anything is sent', () => {
    const mine = { clientId: 'a:b', clientSecret: 'c' };
    expect(() => createServiceClient({ baseUrl, credentials: mine })).toThrow(TypeError);
  });

  test('without credentials nothing is sent, for a relay that adds them', async () => {
    const sent: Request[] = [];
    const fetch = async (request: Request) => {
      sent.push(request);
      return Response.json({ data: [], hasMore: false, totalCount: 0 });
    };
    await createServiceClient({ baseUrl: 'http://localhost:3000/relay', fetch }).GET('/customers');
    expect(sent[0]?.headers.has('Authorization')).toBe(false);
  });

  test('the global fetch is looked up at each call: one that was replaced after the client was made is used', async () => {
    const client = createServiceClient({ baseUrl });
    vi.stubGlobal('fetch', async () => Response.json({ data: [], hasMore: false, totalCount: 7 }));
    expect((await client.GET('/customers')).data?.totalCount).toBe(7);
  });

  test('an access token goes out as Bearer', async () => {
    const requests: Request[] = [];
    const fetch = async (request: Request) => {
      requests.push(request);
      return Response.json({ data: [] });
    };
    await createServiceClient({ baseUrl, credentials: { accessToken: 'abc' }, fetch }).GET('/customers');
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer abc');
  });
});

describe('a value of a path is one segment of it', () => {
  const values: [value: unknown, says: string][] = [
    ['', '""'],
    ['.', '"."'],
    ['..', '".."'],
    [undefined, 'missing'],
    [null, 'null'],
    [['a', 'b'], '["a","b"]'],
    [{ a: 'b' }, '{"a":"b"}'],
  ];

  test.each(values)('%j is refused, and nothing is sent', async (agentId, says) => {
    const { client, requests } = clientAnswering(() => Response.json({}));
    const path = { agentId } as { agentId: string };
    const call = client.PATCH('/agents/{agentId}/policy', { params: { path }, body: {} });
    await expect(call).rejects.toThrow(`PATCH /agents/{agentId}/policy: agentId is ${says}`);
    expect(requests).toEqual([]);
  });

  test('also where no value is given at all', async () => {
    const { client, requests } = clientAnswering(() => Response.json({}));
    const call = client.GET('/agents/{agentId}', {} as { params: { path: { agentId: string } } });
    await expect(call).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  test.each(['...', 'a/b', '%2e', '?', 'ü'])('%j is sent as it is', async (agentId) => {
    const { client, requests } = clientAnswering(() => Response.json({}));
    await client.GET('/agents/{agentId}', { params: { path: { agentId } } });
    const segments = new URL(requests[0]?.url ?? '').pathname.split('/');
    expect(segments.length).toBe(4);
    expect(decodeURIComponent(segments[3] ?? '')).toBe(agentId);
  });
});

describe('a number that JavaScript would round', () => {
  test.each(['9000000000000000.4', '1e400', '-1e-400', '90071992547409930001'])("%s isn't data", async (number) => {
    const { client } = clientAnswering(() => new Response(`{"totalCount": ${number}}`, { headers: json }));
    const { data, error } = await listCustomers(client);
    expect(data).toBeUndefined();
    expect(error).toMatchObject({ status: 200, code: 'UNREADABLE_RESPONSE', message: expect.stringContaining(number) });
  });

  test.each(['9000000000000000', '0.1', '1.50', '1e3', '0.30000000000000004', '"1e400"', '"\\"1e400"'])(
    '%s is kept',
    async (value) => {
      const { client } = clientAnswering(() => new Response(`{"a": ${value}}`, { headers: json }));
      const { data } = await listCustomers(client);
      expect(data).toEqual({ a: JSON.parse(value) });
    },
  );
});

describe('answers of the contract pass through', () => {
  test('a success is data', async () => {
    const body = { data: [], hasMore: false, totalCount: 0 };
    const { client } = clientAnswering(() => Response.json(body));
    const { data, error } = await listCustomers(client);
    expect(error).toBeUndefined();
    expect(data).toEqual(body);
  });

  test('an error of the contract is the error', async () => {
    const body = { status: 401, code: 'UNAUTHORIZED', message: 'Unknown credentials' };
    const { client } = clientAnswering(() => Response.json(body, { status: 401 }));
    const { data, error, response } = await listCustomers(client);
    expect(data).toBeUndefined();
    expect(error).toEqual(body);
    expect(response.status).toBe(401);
  });

  test('a 204 is neither data nor error', async () => {
    const { client } = clientAnswering(() => new Response(null, { status: 204 }));
    const { data, error, response } = await client.DELETE('/auth/sessions/{id}', {
      params: { path: { id: 'Session:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01' } },
    });
    expect({ data, error, ok: response.ok }).toEqual({ data: undefined, error: undefined, ok: true });
  });

  test("an answer to HEAD has no body, and that isn't a failure", async () => {
    const { client } = clientAnswering(() => new Response(null, { status: 200, headers: json }));
    const request = client.request as (
      method: string,
      path: string,
    ) => Promise<{ error?: unknown; response: Response }>;
    const { error, response } = await request('head', '/customers');
    expect({ error, ok: response.ok }).toEqual({ error: undefined, ok: true });
  });

  test('a success that the caller wants as text is left alone', async () => {
    const { client } = clientAnswering(() => new Response('plain'));
    const { data } = await client.GET('/customers', { parseAs: 'text' });
    expect(data).toBe('plain');
  });
});

describe('answers that are not of the contract become one typed failure', () => {
  const html = { 'Content-Type': 'text/html' };
  const page = '<html><body>Bad gateway</body></html>';
  const cases: [what: string, answer: () => Response, received: number, shown: number][] = [
    ['401 with an empty body', () => new Response('', { status: 401 }), 401, 401],
    [
      '401 with Content-Length 0',
      () => new Response('', { status: 401, headers: { 'Content-Length': '0' } }),
      401,
      401,
    ],
    ['502 with HTML', () => new Response(page, { status: 502, headers: html }), 502, 502],
    ['500 with the text "null"', () => new Response('null', { status: 500, headers: json }), 500, 500],
    ['403 in the shape of a gateway', () => Response.json({ message: 'Forbidden' }, { status: 403 }), 403, 403],
    ['304 without a body', () => new Response(null, { status: 304 }), 304, 599],
    ['200 with HTML', () => new Response(page, { headers: html }), 200, 599],
    ['200 with an empty body', () => new Response('', { headers: json }), 200, 599],
    ['200 with Content-Length 0', () => new Response('', { headers: { ...json, 'Content-Length': '0' } }), 200, 599],
    ['200 with half of a JSON text', () => new Response('{"data":[', { headers: json }), 200, 599],
    ['200 with the text "null"', () => new Response('null', { headers: json }), 200, 599],
  ];

  test.each(cases)('cases 104 and 106: %s', async (_what, answer, received, shown) => {
    const { client } = clientAnswering(answer);
    const { data, error, response } = await listCustomers(client);
    expect(data).toBeUndefined();
    expect(error).toMatchObject({ status: received, code: 'UNREADABLE_RESPONSE' });
    expect(response.ok).toBe(false);
    expect(response.status).toBe(shown);
  });

  test('the body is kept for the log, but only its beginning', async () => {
    const { client } = clientAnswering(() => new Response('x'.repeat(5000), { status: 502 }));
    const { error } = await listCustomers(client);
    expect(error).toMatchObject({ body: 'x'.repeat(1000) });
  });

  test('the received headers stay readable', async () => {
    const { client } = clientAnswering(() => new Response(page, { status: 503, headers: { 'Retry-After': '7' } }));
    const { response } = await listCustomers(client);
    expect(response.headers.get('Retry-After')).toBe('7');
  });

  test('the type tells a failure from an error of the contract by its code', async () => {
    const { client } = clientAnswering(() => new Response('', { status: 401 }));
    const { error } = await listCustomers(client);
    if (error === undefined) throw new Error('expected a failure');
    if (error.code === 'UNREADABLE_RESPONSE' || error.code === 'NO_RESPONSE' || error.code === 'ABORTED') {
      expectTypeOf(error).toEqualTypeOf<ClientFailure>();
    } else {
      expectTypeOf(error).toExtend<ApiError>();
    }
  });
});

describe('answers that do not come', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  async function clientOfServer(listener: RequestListener) {
    const started = createServer(listener);
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    const { port } = started.address() as AddressInfo;
    return createServiceClient({ baseUrl: `http://127.0.0.1:${port}`, credentials });
  }

  test('case 106: a reset connection', async () => {
    const client = await clientOfServer((request) => request.socket.destroy());
    const { error, response } = await listCustomers(client);
    expect(error).toMatchObject({ status: 0, code: 'NO_RESPONSE' });
    expect(response.ok).toBe(false);
  });

  test('case 106: a connection reset in the middle of the body', async () => {
    const client = await clientOfServer((_request, response) => {
      response.writeHead(200, { ...json, 'Content-Length': '100' });
      response.write('{"data":[');
      setImmediate(() => response.destroy());
    });
    const { error } = await listCustomers(client);
    expect(error).toMatchObject({ status: 0, code: 'NO_RESPONSE' });
  });

  test('nobody listens', async () => {
    const client = createServiceClient({ baseUrl: 'http://127.0.0.1:1', credentials });
    const { error } = await listCustomers(client);
    expect(error).toMatchObject({ status: 0, code: 'NO_RESPONSE' });
  });

  test('case 106: an abort after 20 ms', async () => {
    const client = await clientOfServer(() => {});
    const { error } = await client.GET('/customers', { signal: AbortSignal.timeout(20) });
    expect(error).toMatchObject({ status: 0, code: 'ABORTED' });
  });

  test('an abort before the request', async () => {
    const { client } = clientAnswering((request) => fetch(request));
    const { error } = await client.GET('/customers', { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ status: 0, code: 'ABORTED' });
  });
});
