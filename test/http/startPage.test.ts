/**
 * Promise: a server's root says what it is and links to everything on it: as a page for a person, as JSON for a
 * program.
 */
import { expect, test } from 'vitest';
import { createObserver } from '../../mocks/sandbox/telemetry/observe.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { createFront } from '../../mocks/sandbox/transport/front.ts';
import { mountStartPage } from '../../mocks/sandbox/transport/startPage.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox, origin } from '../support/sandbox/harness.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

async function ask(init: RequestInit = {}, parts: Parameters<typeof openSandbox>[0] = {}) {
  const sandbox = await openSandbox(parts);
  return { sandbox, response: await sandbox.fetch(new Request(`${origin}/`, init)) };
}

test.each([undefined, '*/*', 'application/json', 'application/*;q=0.5', 'text/html;q=0.5, application/json'])(
  'a program that accepts %s gets JSON',
  async (accept) => {
    const { response } = await ask(accept === undefined ? {} : { headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('vary')).toBe('Origin, Accept');
    const body = await response.json();
    expect(body).toMatchObject({
      name: 'Countersign sandbox',
      version: '2025-10-13',
      baseUrl: 'http://localhost:4010/2025-10-13',
    });
  },
);

test('every link leads to what it says', async () => {
  const { sandbox, response } = await ask();
  const { links } = await response.json();
  const hrefs = links.map(({ href }: { href: string }) => href);
  expect(hrefs).toEqual(expect.arrayContaining(['/reference/', '/openapi.json', '/openapi.yaml']));
  for (const { href, type } of links) {
    const there = await sandbox.fetch(new Request(origin + href, { method: 'HEAD' }));
    expect([href, there.status, there.headers.get('content-type')?.split(';')[0]]).toEqual([href, 200, type]);
  }
});

test.each([browser, 'text/html', 'text/*, application/json;q=0.1'])(
  'a browser that accepts %s gets a page with the same links, which loads no file and runs no script',
  async (accept) => {
    const { response } = await ask({ headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; img-src data:; /);
    expect(policy).not.toMatch(/unsafe|http|script/);
    const page = await response.text();
    expect(page).not.toMatch(/<script|(?:src|href)="(?:https?:)?\/\//);
    const hrefs = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
    const { links } = await (await ask()).response.json();
    expect(hrefs).toEqual(links.map(({ href }: { href: string }) => href));
    expect(page).toContain('curl -u sandbox:sandbox http://localhost:4010/2025-10-13/customers');
  },
);

test('who takes neither gets 406', async () => {
  const { response } = await ask({ headers: { accept: 'image/png' } });
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  expectRefusal(answer, 406, 'NOT_ACCEPTABLE');
});

test('it answers HEAD and OPTIONS, and other methods with 405', async () => {
  const head = (await ask({ method: 'HEAD' })).response;
  expect([head.status, await head.text()]).toEqual([200, '']);
  const options = (await ask({ method: 'OPTIONS' })).response;
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const post = (await ask({ method: 'POST' })).response;
  const answer = { status: post.status, headers: post.headers, body: await post.json() };
  expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
});

test('where the server lets others in, it tells nobody the credentials', async () => {
  for (const accept of [browser, '*/*']) {
    const { response } = await ask({ headers: { accept } }, { controlToken: 'secret' });
    expect(await response.text()).not.toContain('sandbox:sandbox');
  }
});

test('every text on the page stays text', async () => {
  const front = createFront({
    serve: () => Promise.reject(new Error('not asked')),
    log: { info() {}, error() {} },
    observer: createObserver({ log: { info() {}, error() {} }, chance: seededChance(1).scope(''), stopwatch: () => 0 }),
    mount: async (table) =>
      mountStartPage(table, {
        name: '<script>',
        about: '"&\'',
        links: async () => [{ href: '/"><b>', title: '<i>', text: '<u>', type: 'text/html' }],
      }),
  });
  const response = await front.fetch(new Request(`${origin}/`, { headers: { accept: browser } }));
  const page = await response.text();
  expect(page).not.toMatch(/<(?:script|b|i|u)>/);
  expect(page).toContain('<h1>&lt;script&gt;</h1>');
});
