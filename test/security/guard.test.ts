/**
 * Promise: a port decides from a request's head alone whether a web page of another origin sent it, or a client that
 * was led to this machine under another name. The refusal says which flag would allow it.
 */
import { describe, expect, test } from 'vitest';
import { readAdmission } from '../../mocks/admission.ts';
import { createGuard, type GuardSettings } from '../../mocks/sandbox/node/listening/guard.ts';
import { createAdmitsPage } from '../../mocks/sandbox/transport/pages.ts';

interface Head {
  readonly method?: string;
  readonly url?: string;
  readonly httpVersion?: string;
  /** Header lines by name; `Host: localhost:4010` unless one is given. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly hosts?: readonly string[];
}

const thisMachine = { isLoopback: true, admitsPage: createAdmitsPage() };

/** The guard's decision: a status with a message, or that the request passes. */
function judge(head: Head, settings: Partial<GuardSettings> = {}): string {
  const { method = 'GET', url = '/', httpVersion = '1.1', headers = {}, hosts = ['localhost:4010'] } = head;
  const rawHeaders = [...hosts.map((host) => ['Host', host]), ...Object.entries(headers)].flat();
  const [host] = hosts;
  const all = { ...(host === undefined ? {} : { host }), ...headers };
  const refusal = createGuard({ ...thisMachine, ...settings })({ method, url, httpVersion, rawHeaders, headers: all });
  return refusal === undefined ? 'passes' : `${refusal.status} ${refusal.code} ${refusal.message}`;
}

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'get'];
const unsafe = methods.slice(3);

describe('a host that is a name of this machine, by any method', () => {
  test.each([
    'localhost',
    'localhost:4010',
    'localhost:80',
    'LOCALHOST:4010',
    'localhost.:4010',
    'app.localhost:4010',
    'a.b.localhost',
    'my_app.localhost',
    '127.0.0.1:4010',
    '127.0.0.1.',
    '127.1.2.3',
    '127.1',
    '2130706433',
    '[::1]:4010',
    '[::1]',
    '[0:0:0:0:0:0:0:1]:4010',
  ])('%s passes', (host) => {
    for (const method of methods) expect([method, judge({ method, hosts: [host] })]).toEqual([method, 'passes']);
  });
});

describe('any other host, with any method', () => {
  test.each([
    ['evil.example', 'evil.example'],
    ['evil.example:4010', 'evil.example'],
    ['EVIL.example.:4010', 'evil.example'],
    ['localhost.evil.example', 'localhost.evil.example'],
    ['evil-localhost', 'evil-localhost'],
    ['127.0.0.1.evil.example', '127.0.0.1.evil.example'],
    ['127.0.0.1.nip.example', '127.0.0.1.nip.example'],
    ['0.0.0.0:4010', '0.0.0.0'],
    ['10.0.2.2:4010', '10.0.2.2'],
    ['host.docker.internal:4010', 'host.docker.internal'],
    ['192.168.1.2', '192.168.1.2'],
    ['[fe80::1]:4010', 'fe80::1'],
    ['[::ffff:10.0.2.2]', '::ffff:a00:202'],
    ['128.0.0.1', '128.0.0.1'],
    ['localhost-x', 'localhost-x'],
    ['.localhost', '.localhost'],
  ])('%s is 403, and the message names the flag', (host, name) => {
    for (const method of methods) {
      expect([method, judge({ method, hosts: [host] })]).toEqual([method, expect.stringMatching(/^403 NOT_ADMITTED /)]);
    }
    expect(judge({ hosts: [host] })).toContain(`start with --allow-host ${name}.`);
    const { allowHosts } = readAdmission([name], []);
    expect(judge({ hosts: [host] }, { allowHosts })).toBe('passes');
    expect(judge({ hosts: [host] }, { isLoopback: false })).toBe('passes');
  });

  test('naming some where others are let in admits these, those of this machine, and no other', () => {
    const settings = { isLoopback: false, allowHosts: ['sandbox.team.example'] };
    const verdicts = ['sandbox.team.example:4010', 'localhost', 'evil.example'].map((host) =>
      judge({ hosts: [host] }, settings).slice(0, 6),
    );
    expect(verdicts).toEqual(['passes', 'passes', '403 NO']);
  });

  test.each<[name: string, head: Head]>([
    ['no Host', { hosts: [] }],
    ['two', { hosts: ['localhost', 'localhost'] }],
    ['one that is empty', { hosts: [''] }],
    ['one with credentials', { hosts: ['sandbox:sandbox@localhost'] }],
    ['one with a path', { hosts: ['localhost/x'] }],
    ['one with a space', { hosts: ['local host'] }],
    ['one with an escape', { hosts: ['%6cocalhost'] }],
    ['a list', { hosts: ['localhost, evil.example'] }],
    ['an invalid port', { hosts: ['localhost:x'] }],
    ['an invalid address', { hosts: ['[::g]'] }],
    ['letters beyond ASCII', { hosts: ['ｌocalhost'] }],
    ['a target with credentials', { url: 'http://sandbox:sandbox@localhost/x' }],
  ])('%s: 400', (_name, head) => {
    for (const isLoopback of [true, false]) expect(judge(head, { isLoopback })).toMatch(/^400 INVALID_INPUT /);
  });

  test('HTTP/1.0 needs no Host', () => {
    expect(judge({ hosts: [], httpVersion: '1.0' })).toBe('passes');
    expect(judge({ hosts: ['evil.example'], httpVersion: '1.0' })).toMatch(/^403/);
  });

  test('an absolute address as the target names the host too', () => {
    expect(judge({ url: 'http://localhost:4010/x' })).toBe('passes');
    expect(judge({ url: 'http://evil.example/x' })).toMatch(/^403 .*--allow-host evil\.example/);
    expect(judge({ url: 'HTTP://evil.example' })).toMatch(/^403/);
    expect(judge({ url: 'http://localhost/x', hosts: ['evil.example'] })).toMatch(/^403/);
  });

  test('made-up names fill no memory, and are judged like the first', () => {
    const guard = createGuard(thisMachine);
    const ask = (host: string) => guard({ httpVersion: '1.1', rawHeaders: ['Host', host], headers: { host } })?.status;
    for (let count = 0; count < 1000; count += 1) expect(ask(`n${count}.localhost`)).toBeUndefined();
    for (let count = 0; count < 1000; count += 1) expect(ask(`n${count}.example`)).toBe(403);
    expect([ask('localhost'), ask('evil.example')]).toEqual([undefined, 403]);
  });
});

const admitted = [
  'http://localhost:3000',
  'https://localhost',
  'http://127.0.0.1:5173',
  'http://127.8.8.8',
  'http://app.localhost:5173',
  'http://a.b.localhost:1',
  'http://[::1]:8080',
];
const foreign = [
  'https://evil.example',
  'http://evil.example:4010',
  'http://localhost.evil.example',
  'http://notlocalhost',
  'http://127.0.0.1.evil.example',
  'http://0.0.0.0:5173',
  'http://192.168.1.2:4010',
  'chrome-extension://abc',
  'capacitor://localhost',
];
const unusable = [
  'null',
  '',
  'file://',
  'localhost:3000',
  'http://localhost@evil.example',
  'http://localhost:3000/',
  'http://localhost:3000 http://evil.example',
  'http://localhost, http://evil.example',
  'HTTP://LOCALHOST',
  'http://localhost"<script>',
];

describe('a page that uses a method that may change something', () => {
  test.each(admitted)('of %s passes, on this machine and beyond', (origin) => {
    for (const isLoopback of [true, false]) {
      for (const method of methods) expect(judge({ method, headers: { origin } }, { isLoopback })).toBe('passes');
    }
  });

  test.each(foreign)('of %s is 403 with the flag that admits it, on this machine and beyond', (origin) => {
    for (const method of unsafe) {
      for (const isLoopback of [true, false]) {
        const verdict = judge({ method, headers: { origin } }, { isLoopback });
        expect(verdict).toMatch(/^403 NOT_ADMITTED /);
        expect(verdict).toContain(`${method} `);
        expect(verdict).toContain(`start with --allow-origin ${origin}.`);
      }
      const admitsPage = createAdmitsPage(readAdmission([], [origin]).allowOrigins);
      expect(judge({ method, headers: { origin } }, { admitsPage })).toBe('passes');
    }
  });

  test.each(unusable)('of "%s" is 403, and the message does not repeat what isn\'t an origin', (origin) => {
    for (const method of unsafe) {
      const verdict = judge({ method, headers: { origin } });
      expect(verdict).toMatch(/^403 NOT_ADMITTED /);
      expect(verdict).not.toMatch(/--allow-origin (?!names)|<|@/);
    }
  });

  test.each([...foreign, ...unusable])('of "%s" passes by a method that changes nothing', (origin) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(judge({ method, headers: { origin } })).toBe('passes');
  });

  test.each([
    ['http://192.168.1.2:4010', '192.168.1.2:4010'],
    ['https://sandbox.team.example', 'sandbox.team.example'],
    ['http://sandbox.team.example:8080', 'sandbox.team.example:8080'],
  ])('of %s passes where it is the one that was asked for, %s', (origin, host) => {
    const ask = (isLoopback: boolean, allowHosts: string[] = []) =>
      judge({ method: 'POST', headers: { origin }, hosts: [host] }, { isLoopback, allowHosts }).slice(0, 6);
    // Under a name that isn't allowed, a page of the server itself is what DNS rebinding produces.
    const name = host.replace(/:\d+$/, '');
    expect([ask(false), ask(true, [name]), ask(true)]).toEqual(['passes', 'passes', '403 NO']);
  });

  test('of the same name and another port is another one', () => {
    const headers = { origin: 'http://192.168.1.2:5173' };
    expect(judge({ method: 'POST', headers, hosts: ['192.168.1.2:4010'] }, { isLoopback: false })).toMatch(/^403/);
  });
});

describe('what a browser says of a page without naming it', () => {
  test.each(['cross-site', 'same-site', 'same-origin', 'none', 'anything'])('Sec-Fetch-Site: %s', (site) => {
    const headers = { 'sec-fetch-site': site };
    for (const method of unsafe) {
      expect(judge({ method, headers })).toMatch(
        site === 'cross-site' ? /^403 NOT_ADMITTED .*doesn't say/ : /^passes$/,
      );
    }
    expect(judge({ headers })).toBe('passes');
  });

  test('counts for nothing where there is an Origin: a page of another name of this machine is cross-site', () => {
    const cross = (origin: string) => judge({ method: 'POST', headers: { origin, 'sec-fetch-site': 'cross-site' } });
    expect(cross('http://app.localhost:5173')).toBe('passes');
    const same = { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' };
    expect(judge({ method: 'POST', headers: same })).toMatch(/^403/);
  });
});

test('a WebSocket is refused as what may change something is, an offer of HTTP/2 is passed over', () => {
  const origin = 'https://evil.example';
  expect(judge({ headers: { origin, upgrade: 'websocket' } })).toMatch(/^403/);
  expect(judge({ headers: { origin, upgrade: 'h2c, WebSocket' } })).toMatch(/^403/);
  expect(judge({ headers: { upgrade: 'websocket' } })).toBe('passes');
  expect(judge({ headers: { origin: 'http://localhost:3000', upgrade: 'websocket' } })).toBe('passes');
  expect(judge({ headers: { origin, upgrade: 'h2c' } })).toBe('passes');
});

test("what isn't a page needs no Origin", () => {
  for (const method of methods) expect(judge({ method, headers: { referer: 'https://evil.example/' } })).toBe('passes');
});

describe('what flags and options may name', () => {
  test.each([
    ['10.0.2.2', '10.0.2.2'],
    ['Host.Docker.Internal', 'host.docker.internal'],
    ['host.docker.internal.', 'host.docker.internal'],
    ['fe80::1', '[fe80::1]'],
    ['[FE80::1]', '[fe80::1]'],
    ['my_host', 'my_host'],
  ])('--allow-host %s', (text, name) => {
    expect(readAdmission([text], []).allowHosts).toEqual([name]);
  });

  test.each(['', '*', '*.example', 'http://10.0.2.2', '10.0.2.2:4010', '[::1]:4010', 'a b', 'a/b', 'a,b', 'x@y'])(
    '--allow-host "%s" is refused with an example',
    (text) => expect(() => readAdmission([text], [])).toThrow(/^".*" isn't a host name to allow: .* 10\.0\.2\.2\.$/),
  );

  test.each([
    ['https://app.example', 'https://app.example'],
    ['https://App.Example/', 'https://app.example'],
    ['https://app.example:443', 'https://app.example'],
    ['http://app.example:8080', 'http://app.example:8080'],
    ['http://[FE80::1]:3000', 'http://[fe80::1]:3000'],
    ['capacitor://localhost', 'capacitor://localhost'],
    ['chrome-extension://ABC', 'chrome-extension://abc'],
  ])('--allow-origin %s', (text, origin) => {
    expect(readAdmission([], [text]).allowOrigins).toEqual([origin]);
  });

  test.each([
    '',
    'null',
    '*',
    'https://*',
    'https://*.example',
    'app.example',
    'localhost:3000',
    'file://',
    'https://',
  ])('--allow-origin "%s" is refused with an example', (text) =>
    expect(() => readAdmission([], [text])).toThrow(/^".*" isn't an origin to allow: .*app\.example/),
  );

  test.each(['https://app.example/path', 'https://a@app.example', 'https://app.example?x', 'https://a b', 'data:x'])(
    '--allow-origin "%s" isn\'t an origin either',
    (text) => expect(() => readAdmission([], [text])).toThrow(/isn't an origin/),
  );
});
