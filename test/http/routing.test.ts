/**
 * Promise: a path of the contract is reached only by its own spelling, with the methods that it declares. Every other
 * path gets an error in the contract's error shape.
 */
import { describe, expect, test } from 'vitest';
import { type ErrorCode, operations, version } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openPort } from '../support/process/server.ts';
import { type Answer, basic, data, openSandbox } from '../support/sandbox/harness.ts';
import { openSignedInWallet, openWallet } from '../support/scenes/builders.ts';

const paths = [...Map.groupBy(operations, ({ path }) => path as string)].map(([path, ofPath]) => {
  const declared: string[] = ofPath.map(({ method }) => method);
  const served = [...declared, ...(declared.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  return { path, address: path.replaceAll(/\{\w+\}/g, 'Any:1'), declared, allow: served.sort() };
});
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const listOf = (header: string | null): string[] => (header ?? '').split(', ').sort();

describe('words where an id belongs', () => {
  test.each([
    ['GET', '/customers/kyc-link'],
    ['POST', '/customers/kyc-link'],
    ['OPTIONS', '/customers/kyc-link'],
    ['PATCH', '/agents/all-of-them/policy'],
    ['GET', '/quotes/open%2Dones'],
  ])("%s %s isn't such a path, with or without credentials", async (method, path) => {
    const sandbox = await openSandbox();
    for (const authorization of [undefined, null]) {
      const options = authorization === undefined ? {} : { authorization };
      const refused = expectRefusal(await sandbox.send(method, path, options), 404, 'NOT_FOUND');
      expect(refused.message).toBe(`The interface has no path ${path}.`);
    }
  });

  test.each([
    ['/customers/nobody', 'USER_NOT_FOUND'],
    ['/customers/Customer:no-such-one', 'USER_NOT_FOUND'],
    ['/customers/0199dccc-4a80-7306-95d3-b84442ea77dc', 'USER_NOT_FOUND'],
    ['/agents/device-codes/some-code/status', 'DEVICE_CODE_NOT_FOUND'],
  ] as const)('GET %s may be an id that names nothing: 404 %s', async (path, code) => {
    expectRefusal(await (await openSandbox()).send('GET', path), 404, code);
  });
});

describe('ids in the path', () => {
  test.each([
    [':', '%3A'],
    [':', '%3a'],
    [':0', '%3A%30'],
  ])('case 1: %s written as %s names the same thing', async (text, escaped) => {
    const sandbox = await openSandbox();
    const { customer } = await openWallet(sandbox);
    const plain = await sandbox.send('GET', `/customers/${customer.id}`);
    expect(customer.id).toContain(text);
    const encoded = await sandbox.send('GET', `/customers/${customer.id.replace(text, escaped)}`);
    expect([encoded.status, encoded.body]).toEqual([200, plain.body]);
  });

  test('case 1: every kind of id in the path may come encoded, as the generated client sends it', async () => {
    const sandbox = await openSandbox();
    const { customer, accountId, email, session } = await openSignedInWallet(sandbox);
    const id = encodeURIComponent;
    const answers = [
      await sandbox.send('GET', `/customers/${id(customer.id)}`),
      await sandbox.send('POST', `/sandbox/internal-accounts/${id(accountId)}/fund`, { body: { amount: 5 } }),
      await sandbox.send('POST', `/auth/credentials/${id(email.id)}/challenge`),
      await sandbox.send('DELETE', `/auth/credentials/${id(email.id)}`),
      await sandbox.send('DELETE', `/auth/sessions/${id(session.id)}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 202, 202]);
  });

  test.each([
    ['a slash', 'Customer%3Aa%2F..%2Finternal-accounts'],
    ['a slash and a known segment', '%2Finternal-accounts'],
    ['a question mark', 'Customer%3Aa%3Flimit=1'],
    ['a number sign', 'Customer%3Aa%23b'],
    ['an escape inside an escape', 'Customer%253Aa'],
    ['NUL', 'Customer%3A%00'],
    ['a space', '%20'],
    ['letters beyond ASCII', 'Customer:%C3%A9'],
    ['another type of id', 'InternalAccount:a'],
    ['no type', '0199dccc-4a80-7306-95d3-b84442ea77dc'],
  ])('case 2: %s in an id stays one segment, decoded once: 404', async (_name, id) => {
    const sandbox = await openSandbox();
    expectRefusal(await sandbox.send('GET', `/customers/${id}`), 404, 'USER_NOT_FOUND');
  });

  test('an id that is too long for its type is 404', async () => {
    const sandbox = await openSandbox();
    expectRefusal(await sandbox.send('GET', `/customers/Customer:${'a'.repeat(65)}`), 404, 'USER_NOT_FOUND');
  });
});

describe('exact paths', () => {
  test.each([
    ['GET', '/customers/'],
    ['GET', '//customers'],
    ['GET', '/customers//internal-accounts'],
    ['GET', '/customers/internal-accounts/'],
    ['GET', '/auth/credentials/?accountId=InternalAccount:a'],
    ['POST', '/auth/credentials//verify'],
    ['POST', '/auth/credentials//challenge'],
    ['DELETE', '/auth/sessions/'],
    ['POST', '/tokens/'],
    ['GET', '/Customers'],
    ['GET', '/nothing'],
    ['GET', '/'],
    ['GET', ''],
  ])("case 5: %s %s isn't a path: 404", async (method, path) => {
    const sandbox = await openSandbox();
    expectRefusal(await sandbox.send(method, path), 404, 'NOT_FOUND');
  });

  test.each(['/customers', '/2024-01-01/customers', '/2025-10-14/customers', '/v1/customers', '/__sandbox/nothing'])(
    'case 4: %s is outside the version: 404, and the message names the supported one',
    async (path) => {
      const sandbox = await openSandbox();
      const response = await sandbox.fetch(new Request(`http://localhost:4010${path}`));
      const answer = { status: response.status, headers: response.headers, body: await response.json() };
      expect(expectRefusal(answer, 404, 'NOT_FOUND').message).toContain(version);
    },
  );
});

describe('methods', () => {
  test.each(paths)('case 10: $path answers any other method with 405 and the whole Allow', async (entry) => {
    const sandbox = await openSandbox();
    for (const method of methods.filter((name) => !entry.allow.includes(name))) {
      const answer = await sandbox.send(method, entry.address, { authorization: null });
      expect([method, answer.status, listOf(answer.headers.get('allow'))]).toEqual([method, 405, entry.allow]);
      if (method !== 'HEAD') expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    }
  });

  test.each(paths)('$path answers OPTIONS with Allow and nothing else', async (entry) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('OPTIONS', entry.address, { authorization: null });
    expect([answer.status, answer.body, listOf(answer.headers.get('allow'))]).toEqual([204, undefined, entry.allow]);
  });

  test.each(['/customers', '/customers/internal-accounts?limit=1'])(
    'case 8: HEAD %s is GET without content',
    async (path) => {
      const sandbox = await openSandbox();
      const same = { headers: { 'x-request-id': 'same' } };
      const [get, head] = [await sandbox.send('GET', path, same), await sandbox.send('HEAD', path, same)];
      expect([head.status, head.body]).toEqual([200, undefined]);
      expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers));
    },
  );

  test('case 8: HEAD through the generated client gives no data and does not throw', async () => {
    const sandbox = await openSandbox();
    const customerId = data(await sandbox.client.GET('/customers')).data[0]?.id ?? '';
    // No operation of the contract is a HEAD, so the client's types have none.
    const head = (sandbox.client as unknown as { HEAD: typeof sandbox.client.GET }).HEAD;
    const { data: nothing, response } = await head('/customers/{customerId}', { params: { path: { customerId } } });
    expect([response.status, nothing]).toEqual([200, undefined]);
  });

  test('case 8: HEAD of what is refused has the status of the refusal', async () => {
    const sandbox = await openSandbox();
    const statuses = [
      (await sandbox.send('HEAD', '/customers', { authorization: null })).status,
      (await sandbox.send('HEAD', '/customers?surprise=1')).status,
      (await sandbox.send('HEAD', '/customers/Customer:none')).status,
    ];
    expect(statuses).toEqual([401, 400, 404]);
  });
});

describe('on the wire', () => {
  test.each([
    ['case 7: two slashes in front', 'GET //customers HTTP/1.1', 404, 'NOT_FOUND'],
    ['case 7: two slashes before the version', `GET //${version}/customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['case 7: two slashes and an authority', `GET //evil.example/${version}/customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['.. at the end', `GET /${version}/customers/.. HTTP/1.1`, 404, 'NOT_FOUND'],
    ['.. percent-encoded', `GET /${version}/customers/%2e%2e HTTP/1.1`, 404, 'NOT_FOUND'],
    ['.. out of the version', `GET /${version}/../../customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['.. to another path', `DELETE /${version}/customers/%2E%2e/tokens HTTP/1.1`, 404, 'NOT_FOUND'],
    ['.. back to a path that is there', `GET /${version}/agents/../customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['the same percent-encoded', `GET /${version}/agents/%2e%2e/customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['the same half percent-encoded', `GET /${version}/agents/.%2E/customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['a single dot', `GET /${version}/./customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['a single dot, percent-encoded', `GET /${version}/%2e/customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['dots in a whole address', `GET http://localhost/${version}/agents/../customers HTTP/1.1`, 404, 'NOT_FOUND'],
    ['dots at the control surface', 'GET /x/%2e%2e/__sandbox/health HTTP/1.1', 404, 'NOT_FOUND'],
    ['a fragment', `GET /${version}/customers#top HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['a backslash', `GET /${version}\\customers HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['a broken escape in the path', `GET /${version}/customers/%ZZ HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['an escape that is not UTF-8', `GET /${version}/customers/%C0%80 HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['a broken escape in the query', `GET /${version}/customers?region=%Z HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['one after a second ?', `GET /${version}/customers?platformCustomerId=a?%ZZ HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['a broken escape and no such path', 'GET /%ZZ HTTP/1.1', 400, 'INVALID_INPUT'],
    ['the asterisk', 'OPTIONS * HTTP/1.1', 400, 'INVALID_INPUT'],
    ['TRACE', `TRACE /${version}/customers HTTP/1.1`, 405, 'METHOD_NOT_ALLOWED'],
    ['a method nobody knows', `BREW /${version}/customers HTTP/1.1`, 400, 'INVALID_INPUT'],
    ['no HTTP at all', 'hello', 400, 'INVALID_INPUT'],
    ['a raw letter beyond ASCII', `GET /${version}/customers/é HTTP/1.1`, 400, 'INVALID_INPUT'],
  ] as const)('%s', async (_name, line, status, code) => {
    const server = await openPort(await openSandbox());
    expectRefusalOnWire(await server.request(line), status, code);
  });

  test.each([
    ['no Host', []],
    ['two Hosts', ['Host: localhost', 'Host: localhost']],
    ['two Hosts in other letters', ['Host: localhost', 'HOST: evil.example']],
    ['an empty Host', ['Host:']],
    ['credentials in the Host', ['Host: sandbox:sandbox@localhost']],
    ['an invalid Host', ['Host: a b']],
    ['a Host with a path', ['Host: a/b']],
    ['a header line without a colon', ['Host: localhost', 'nonsense']],
    ['a header that is too large', ['Host: localhost', `X-Large: ${'a'.repeat(64 * 1024)}`]],
    ['both lengths', ['Host: localhost', 'Content-Length: 1', 'Transfer-Encoding: chunked']],
    ['an invalid length', ['Host: localhost', 'Content-Length: many']],
  ])('%s: 400 in the error shape', async (_name, headers) => {
    const server = await openPort(await openSandbox());
    const lines = [`GET /${version}/customers HTTP/1.1`, 'Connection: close', ...headers];
    expectRefusalOnWire(await server.exchange(`${lines.join('\r\n')}\r\n\r\n`), 400, 'INVALID_INPUT');
  });

  test.each([
    ['the absolute form', `GET http://localhost/${version}/customers HTTP/1.1`],
    ['dots in a name', `GET /${version}/customers?platformCustomerId=/../x HTTP/1.1`],
    ['HTTP/1.0', `GET /${version}/customers HTTP/1.0`],
  ])('%s is understood', async (_name, line) => {
    const server = await openPort(await openSandbox());
    expect((await server.request(line)).status).toBe(200);
  });

  test('HTTP/1.0 without a Host is understood (RFC 9112, 3.2)', async () => {
    const server = await openPort(await openSandbox());
    const lines = [`GET /${version}/customers HTTP/1.0`, `Authorization: ${basic('sandbox', 'sandbox')}`];
    expect((await server.exchange(`${lines.join('\r\n')}\r\n\r\n`)).status).toBe(200);
  });

  test('an Expect that is not known does not stand in the way', async () => {
    const server = await openPort(await openSandbox());
    expect((await server.request(`GET /${version}/customers HTTP/1.1`, 'Expect: a-miracle')).status).toBe(200);
  });

  test('the server goes on after unreadable requests', async () => {
    const server = await openPort(await openSandbox());
    await Promise.all(Array.from({ length: 10 }, () => server.exchange('\u0000\u0001\r\n\r\n')));
    expect((await server.request(`GET /${version}/customers HTTP/1.1`)).status).toBe(200);
  });
});

/** An error from before the app has no Cache-Control and needs none, because a 400 isn't cached (RFC 9111, 3). */
function expectRefusalOnWire(answer: Answer, status: number, code: ErrorCode): void {
  answer.headers.set('cache-control', 'no-store');
  expectRefusal(answer, status, code);
}

test.each([
  ['PATCH', '/agents/Customer:none/policy', 'AGENT_NOT_FOUND', 'Customer:none'],
  ['POST', '/agents/Customer:none/actions/AgentAction:none/approve', 'AGENT_NOT_FOUND', 'Customer:none'],
  ['POST', '/agents/Agent:none/actions/none/reject', 'ACTION_NOT_FOUND', 'none'],
  ['GET', '/receiver/external-account/none', 'ACCOUNT_NOT_FOUND', 'none'],
] as const)('%s %s: an id that cannot exist gets the code of its parameter (D45)', async (method, path, code, id) => {
  const options = method === 'GET' ? {} : { body: { permissions: [] } };
  const answer = await (await openSandbox()).send(method, path, options);
  expect(expectRefusal(answer, 404, code).message).toBe(`There is nothing with the id ${id}.`);
});
