/** Promise: the stateless mock returns every documented reply word for word, and refuses what the sandbox refuses. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import { basePath } from '../../contract/match.ts';
import { pointTo } from '../../contract/pointer.ts';
import { type Operation, operations } from '../../generated/operations.ts';
import { createMock } from '../../mocks/prism/app.ts';
import { bundle } from '../support/expect/apiError.ts';
import { documented, expectNamedReplies, namedReplies } from '../support/requests/namedReplies.ts';
import { requestExamples } from '../support/requests/targets.ts';
import { isLongRun, sample } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic } from '../support/sandbox/harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: any part of the document may be read
type Document = any;

const bundlePath = new URL('../../generated/openapi.json', import.meta.url);
const follow = (node: Document): Document => (node?.$ref === undefined ? node : follow(pointTo(bundle, node.$ref)));

const quiet = { info: () => {}, error: () => {} };
const mock = await createMock({ bundlePath, log: quiet });
const contract = loadContract();

const credentials = { authorization: basic('tok_1', 'anything') };
/** Any credentials of the kind that the operation takes. */
const credentialsFor = ({ security }: Operation) =>
  ({ basic: credentials, bearer: { authorization: 'Bearer anything' }, none: {} })[security];
const uuid = '0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13';
const wallet = `InternalAccount:${uuid}`;

async function send(method: string, path: string, init: { headers?: HeadersInit; body?: unknown } = {}) {
  const headers = new Headers(init.headers ?? credentials);
  if (init.body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const body = typeof init.body === 'string' ? init.body : JSON.stringify(init.body);
  const url = new URL(path.startsWith('http') ? path : `http://localhost:4010${basePath}${path}`);
  const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const response = await mock.fetch(request);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** An id in the form of the parameter's schema. If the schema has no form, a UMA address (D65). */
function idFor(operation: Operation, name: string): string {
  const parameters: Document[] = (documented(operation).parameters ?? []).map(follow);
  const { pattern } = follow(parameters.find((parameter) => parameter.in === 'path' && parameter.name === name).schema);
  const [, prefix] = /^\^(\w+:)/.exec(pattern ?? '') ?? [];
  if (name === 'code') return 'AGENT-7QK2-M9XD';
  return prefix === undefined ? '$success.usd@pay.example' : prefix + uuid;
}

/** A request that the contract accepts, with a preference. */
function ask(operation: Operation, prefer?: string) {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_braces, name) => idFor(operation, name));
  const required = operation.method === 'GET' && operation.domain === 'auth' ? `?accountId=${wallet}` : '';
  const query = operation.id === 'listBeneficialOwners' ? `?customerId=Customer:${uuid}` : required;
  const [body] = requestExamples(operation);
  const headers = { ...credentialsFor(operation), ...(prefer === undefined ? {} : { prefer }) };
  return send(operation.method, path + query, { headers, body });
}

/** A contract with a planted fault, as a file. */
function plant(change: (document: Document) => void): string {
  const document = structuredClone(bundle);
  change(document);
  const file = join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}

describe.each(sample(operations, 12).map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  it('case 125: without a preference serves the first example of the lowest success', async () => {
    const answer = await ask(operation);
    const status = Math.min(...operation.statuses);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(namedReplies(operation).find((reply) => reply.status === status)?.body);
    expect(contract.checkResponse(operation, answer.status, answer.body)).toEqual([]);
  });
});

describe('every documented reply', () => {
  it.each(sample(operations, 8))('case 124: of $id can be had by name', (operation) =>
    expectNamedReplies(operation, { ask: (prefer) => ask(operation, prefer) }),
  );
});

describe('Prefer', () => {
  const prefer = (...lines: string[]) => {
    const headers = new Headers(credentials);
    for (const line of lines) headers.append('prefer', line);
    return send('GET', '/customers', { headers });
  };

  it('case 124: any RFC 7240 spelling', async () => {
    expect((await prefer('respond-async, code="400" ;x=1')).status).toBe(400);
    expect((await prefer('respond-async', 'code=403')).status).toBe(403);
    expect((await prefer('code=401', 'example=unauthorized')).status).toBe(401);
    expect((await prefer('respond-async')).status).toBe(200);
  });

  it.each(['code=418', 'code=abc', 'example=nope', 'code=200, example=forbidden'])(
    'case 124: %s is 400',
    async (line) => {
      const { status, body } = await prefer(line);
      expect([status, body.code, body.details.errors[0].pointer]).toEqual([400, 'INVALID_INPUT', '/Prefer']);
    },
  );
});

describe('requests', () => {
  const create = { type: 'EMAIL_OTP', accountId: wallet };

  it('case 107: a closed body is closed, and the refusal names the field', async () => {
    expect((await send('POST', '/auth/credentials', { body: create })).status).toBe(201);
    const { status, body } = await send('POST', '/auth/credentials', { body: { ...create, email: 'a@example.com' } });
    expect([status, body.details.errors[0].pointer]).toEqual([400, '/email']);
  });

  it.each([
    ['?colour=red', '/colour'],
    ['?limit=1&limit=2', '/limit'],
    ['?limit=0x10', '/limit'],
    ['?limit=%ZZ', ''],
  ])('refuses the query %s', async (query, pointer) => {
    const { status, body } = await send('GET', `/customers${query}`);
    expect([status, body.code, body.details.errors[0].pointer]).toEqual([400, 'INVALID_INPUT', pointer]);
  });

  it.each(['{"type": ', '', 'null', '[]'])('case 25: the body %j is 400 in the error shape', async (body) => {
    const answer = await send('POST', '/auth/credentials', { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('case 19: another media type is 415, a huge body 413', async () => {
    const headers = { ...credentials, 'content-type': 'undefined' };
    expect(await send('POST', '/tokens', { headers, body: {} })).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    expect((await send('POST', '/tokens', { body: { name: 'x'.repeat(1024 * 1024) } })).status).toBe(413);
  });

  it('case 17: JSON refused by q=0 is 406', async () => {
    const headers = { ...credentials, accept: 'application/json;q=0, */*;q=0.1' };
    expect(await send('GET', '/customers', { headers })).toMatchObject({
      status: 406,
      body: { code: 'NOT_ACCEPTABLE' },
    });
  });
});

describe('credentials', () => {
  it.each([
    ['case 28: a colon', 'Basic dG9rXzE6cGE6c3M6d29yZA==', 200],
    ['case 29: UTF-8', 'Basic dG9rXzE6cMOkc3N3w7ZyZA==', 200],
    ['case 29: Latin-1', 'Basic dG9rXzE6cORzc3f2cmQ=', 401],
    ['any case of the scheme', 'bASIC dG9rXzE6eA==', 200],
    ['another scheme', 'Bearer dG9rXzE6eA==', 401],
    ['none', undefined, 401],
  ])('%s', async (_what, authorization, status) => {
    const answer = await send('GET', '/customers', { headers: authorization === undefined ? {} : { authorization } });
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic .*charset="UTF-8"$/);
  });
});

describe('addresses', () => {
  it('case 1: a colon in a path id, raw and escaped', async () => {
    const answers = await Promise.all(
      [':', '%3A', '%3a'].map((colon) => send('GET', `/customers/Customer${colon}${uuid}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers[2]?.body).toEqual(answers[0]?.body);
  });

  it.each([
    ['case 4: another version', '/2024-01-01/customers'],
    ['case 4: no version', '/customers'],
    ['case 5: a trailing slash', `${basePath}/auth/credentials/?accountId=${wallet}`],
    ['case 5: an empty id', `${basePath}/auth/credentials//verify`],
    ['case 7: two slashes', `/${basePath}/customers`],
    ['the sandbox alone has a control surface', '/__sandbox/health'],
  ])('%s is 404', async (_what, path) => {
    const { status, body } = await send('GET', `http://localhost:4010${path}`);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    if (path.startsWith('/2024')) expect(body.message).toContain(basePath);
  });

  it('case 8: HEAD has the headers of GET and no content', async () => {
    const same = { headers: { ...credentials, 'X-Request-Id': 'same' } };
    const [head, get] = [await send('HEAD', '/customers', same), await send('GET', '/customers', same)];
    expect([head.status, head.body]).toEqual([200, undefined]);
    expect([...head.headers]).toEqual([...get.headers]);
  });

  it('case 10: another method is 405 with Allow', async () => {
    const { status, headers, body } = await send('PUT', '/customers');
    expect([status, body.code, headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, POST, HEAD, OPTIONS']);
  });

  it.each([
    [401, '/customers', {}],
    [404, '/nowhere', credentials],
    [400, '/customers?limit=x', credentials],
  ])('case 14: a page may read a %i', async (expected, path, given) => {
    const origin = 'http://localhost:3000';
    const { status, headers } = await send('GET', path, { headers: { ...given, origin } });
    expect(status).toBe(expected);
    expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([origin, 'Origin']);
  });
});

describe('a contract that lies', () => {
  const refusalOf = (change: (document: Document) => void): Promise<string> =>
    createMock({ bundlePath: plant(change), log: quiet }).then(
      () => 'It is served',
      (error: Error) => error.message,
    );

  it('cases 110 and 125: an example that does not fit, or a reply without one, is not served', async () => {
    const message = await refusalOf(({ paths }) => {
      const mediaOf = (path: string) => paths[path].get.responses['200'].content['application/json'];
      mediaOf('/customers').examples = { planted: { value: { data: 5, hasMore: false, totalCount: 0 } } };
      delete mediaOf('/tokens').examples;
    });
    expect(message).toMatch(/listCustomers 200, example planted: \/data must be array/);
    expect(message).toMatch(/listTokens 200 has no named example/);
  });

  it.each(isLongRun ? ['an operation of ours that it lacks is not served'] : [])('%s', async () => {
    const message = await refusalOf(({ paths }) => {
      delete paths['/customers/{customerId}'];
    });
    expect(message).toMatch(/getCustomer is not in the bundle/);
  });
});

it('has a start page, the contract and the reference as the sandbox has, with its own credentials', async () => {
  const ask = (path: string, accept = '*/*') =>
    mock.fetch(new Request(`http://localhost:4010${path}`, { headers: { accept } }));
  const start = await (await ask('/')).json();
  expect(start).toMatchObject({ name: 'Countersign mock', links: expect.any(Array) });
  expect(await (await ask('/', 'text/html')).text()).toContain('curl -u any:pair ');
  for (const { href } of start.links) expect([href, (await ask(href)).status]).toEqual([href, 200]);
  expect(await (await ask('/openapi.json')).json()).toEqual(bundle);
  expect(await (await ask('/reference/settings.js')).text()).toContain('"clientId":"any","clientSecret":"pair"');
});
