/**
 * Promise: no kind of secret stays in a recording, wherever it was: in any spelling of its name, in JSON, forms,
 * multipart and plain text, in JSON inside a text, in headers, queries and paths, escaped or not.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskBody, maskPlainText, maskUrl } from '../../contract/mask.ts';
import type { Capture } from '../../traffic/capture.ts';
import { toEntry, writeEntry } from '../../traffic/record.ts';
import { run } from '../support/process/process.ts';
import { byLength, runs } from '../support/run/length.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';

const base = 'http://localhost:4010/2025-10-13';

function recorded(parts: Partial<Capture>): string {
  return writeEntry(
    toEntry({
      startedAt: 0,
      durationMs: 1,
      method: 'POST',
      url: `${base}/customers`,
      requestHeaders: [],
      status: 200,
      responseHeaders: [],
      ...parts,
    }),
  );
}

/** A text with every decoding that somebody might try: unescaped as JSON and as an address. */
function readings(text: string): string[] {
  const found = [text];
  for (let level = 0; level < 4; level += 1) {
    const last = found.at(-1) ?? '';
    found.push(
      last
        .replaceAll('\\"', '"')
        .replaceAll('\\\\', '\\')
        .replace(/%([0-7][0-9a-f])/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16))),
    );
  }
  return found;
}

// Masked letters and digits become a, A and 1, so the planted secrets contain none of these.
const letters = [...'bcdefghjkmnpqrstuvwxyzBCDEFGHJKMNPQRSTUVWXYZ023456789'];
const word = (length: number) => fc.string({ unit: fc.constantFrom(...letters), minLength: length, maxLength: length });
const upper = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'BCDFGHJKMNPQRSTVWXYZ23456789'), minLength: length, maxLength: length });

const names = fc.constantFrom(
  ...['otp', 'clientSecret', 'accessToken', 'oidcToken', 'encryptedSessionSigningKey', 'encryptedWalletCredentials'],
  ...['password', 'apiKey', 'refreshToken', 'signature'],
);
const spelling = names.chain((name) => {
  const words = name.split(/(?=[A-Z])/);
  const joined = words.map((one) => one.toLowerCase());
  return fc.constantFrom(
    name,
    name.toUpperCase(),
    name.toLowerCase(),
    joined.join('_'),
    joined.join('-'),
    joined.join('_').toUpperCase(),
  );
});

interface Planted {
  readonly name: string;
  readonly value: string;
  /** The part that must not be found. */
  readonly core: string;
}

const byName: fc.Arbitrary<Planted> = fc
  .tuple(spelling, word(10), fc.constantFrom('', '.', '-', 'é', ' x'))
  .map(([name, core, end]) => ({ name, value: core + end, core }));
const byForm: fc.Arbitrary<Planted> = fc.oneof(
  fc.tuple(upper(4), upper(4)).map(([a, b]) => ({ name: 'note', value: `AGENT-${a}-${b}`, core: `${a}-${b}` })),
  fc
    .string({ unit: fc.constantFrom(...'bcdef23456789'), minLength: 64, maxLength: 64 })
    .map((core) => ({ name: 'note', value: `agent_${core}`, core })),
  fc.tuple(word(12), word(16), word(20)).map(([a, b, c]) => ({ name: 'note', value: `eyJ${a}.${b}.${c}`, core: c })),
);

const escaped = (text: string) =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const escapedOften = (text: string) => encodeURIComponent(escaped(text));
const json = (value: unknown) => JSON.stringify(value);
const multipart = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`;
const ascii = (text: string) => text.replaceAll(/[^ -~]/g, '');

type Write = (planted: Planted) => Partial<Capture>;
const bodies: Readonly<Record<string, (name: string, value: string) => string>> = {
  'a field': (name, value) => json({ [name]: value }),
  'a field far down': (name, value) => json([{ a: { [name]: [value, { b: value }] } }]),
  'JSON in a text': (name, value) => json({ a: json({ [name]: value }) }),
  'JSON in a text in a text': (name, value) => json([json({ a: json([{ [name]: value }]) })]),
  'JSON cut off in a text': (name, value) => json({ a: json({ [name]: value }).slice(0, -1) }),
  'a form': (name, value) => `x=1&${name}=${encodeURIComponent(value)}`,
  'a form with escapes': (name, value) => `${escaped(name)}=${escaped(ascii(value))}&x=1`,
  'a form with JSON': (name, value) => `payload=${encodeURIComponent(json({ [name]: value }))}`,
  'a form in JSON': (name, value) => json({ a: `x=1&${name}=${encodeURIComponent(value)}` }),
  'a form with nested names': (name, value) => `user[${name}]=${encodeURIComponent(value)}`,
  multipart,
  'a sentence': (name, value) => `The ${name} is ${value}, keep it.`,
  lines: (name, value) => `a: 1\n${name}: ${value}\n`,
  XML: (name, value) => `<a><${name}>${value}</${name}></a>`,
  'JSON cut off': (name, value) => json({ [name]: value }).slice(0, -1),
  'several documents': (name, value) => `${json({ a: 1 })}\n${json({ [name]: value })}`,
};
const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'text/plain',
  '',
];
const typed = (type: string) => (type === '' ? [] : ([['Content-Type', type]] as const));

const inBodies: [string, Write][] = Object.entries(bodies).flatMap(([what, write]) => [
  [
    `a request: ${what}`,
    ({ name, value }) => ({
      requestHeaders: typed(types[value.charCodeAt(0) % 5] ?? ''),
      requestBody: Buffer.from(write(name, value)),
    }),
  ],
  [
    `a reply: ${what}`,
    ({ name, value }) => ({
      responseHeaders: typed(types[value.charCodeAt(1) % 5] ?? ''),
      responseBody: write(name, value),
    }),
  ],
]);
const elsewhere: [string, Write][] = [
  ['a header', ({ name, value }) => ({ requestHeaders: [[`X-${name}`, ascii(value)]] })],
  [
    'an address in a header',
    ({ name, value }) => ({ responseHeaders: [['Location', `${base}/x?a=1&${name}=${encodeURIComponent(value)}`]] }),
  ],
  ['JSON in a header', ({ name, value }) => ({ responseHeaders: [['X-Debug', ascii(json({ [name]: value }))]] })],
  ['a query', ({ name, value }) => ({ url: `${base}/customers?a=1&${name}=${encodeURIComponent(value)}#x` })],
  [
    'a query with escapes',
    ({ name, value }) => ({ url: `${base}/customers?${escaped(name)}=${escaped(ascii(value))}` }),
  ],
  ['a fragment', ({ name, value }) => ({ url: `${base}/customers#${name}=${encodeURIComponent(value)}` })],
];
const onlyForms: [string, Write][] = [
  ['a path', ({ value }) => ({ url: `${base}/agents/device-codes/${value}/redeem` })],
  ['a path with escapes', ({ value }) => ({ url: `${base}/agents/device-codes/${escaped(value)}/redeem` })],
  [
    'a path with one escape',
    ({ value }) => ({ url: `${base}/agents/device-codes/${value.replace(/[-_.]/, (one) => escaped(one))}/redeem` }),
  ],
  [
    'a path with escapes of escapes',
    ({ value }) => ({ url: `${base}/agents/device-codes/${escapedOften(value)}/redeem%ZZ` }),
  ],
  [
    'a path in lower case',
    ({ value }) => ({ url: `${base}/agents/device-codes/${value.startsWith('AGENT') ? value.toLowerCase() : value}` }),
  ],
  ['a cookie', ({ value }) => ({ requestHeaders: [['Cookie', `a=${value}`]] })],
  ['the name of a field', ({ value }) => ({ requestBody: json({ [value]: 1 }) })],
  ['a referrer', ({ value }) => ({ requestHeaders: [['Referer', `${base}/a/${escaped(value)}?b`]] })],
];

describe('planted, it is not in the recording', () => {
  const numRuns = byLength(6, runs(400));
  const expectGone = (planted: Planted, write: Write): void => {
    const text = recorded(write(planted));
    for (const reading of readings(text)) expect(reading.toLowerCase()).not.toContain(planted.core.toLowerCase());
  };
  test.each([...inBodies, ...elsewhere])('in %s', (_where, write) => {
    fc.assert(
      fc.property(fc.oneof(byName, byForm), (planted) => expectGone(planted, write)),
      { numRuns },
    );
  });
  test.each(onlyForms)('in %s', (_where, write) => {
    fc.assert(
      fc.property(byForm, (planted) => expectGone(planted, write)),
      { numRuns },
    );
  });
});

describe("what isn't a secret stays", () => {
  test.each([
    'https://api.example.com/2025-10-13/customers/Customer%3A1?limit=5&filter=a%20b',
    'https://api.example.com/2025-10-13/agents/Agent:1/actions?x=a=b#top',
    'https://api.example.com/%ZZ/%ff?q=%E0',
  ])('the address %s', (url) => expect(maskUrl(url)).toBe(url));

  test.each(['a=1&b=2', 'name=Ada%20Byron', 'Not found.', '<html><body>502 Bad Gateway</body></html>'])(
    '%s',
    (text) => {
      expect(maskPlainText(text)).toBe(text);
    },
  );

  test('texts of bodies', () => {
    const body = { message: 'Invalid body /otp: must be a string', note: '{"a": 1}', other: '[x', sum: 'a=b' };
    expect(maskBody(body)).toEqual(body);
  });
});

test('the journal has none of it either', async () => {
  const sandbox = await openSandbox();
  const path = '/auth/credentials/AuthMethod:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13/verify';
  const texts = [
    'OTP=Qx7wPq0zz',
    multipart('client_secret', 'Qx7wPq0zz'),
    'client_secret: Qx7wPq0zz',
    '{"note":"{\\"Otp\\":\\"Qx7wPq0zz\\"}"}',
  ];
  for (const text of texts)
    must(await sandbox.send('POST', path, { text, headers: { 'content-type': 'text/plain' } }), 415);
  must(await sandbox.send('GET', '/agents/device-codes/AGENT%2DQX7W%2dPQ0Z'), 404);
  const journal = JSON.stringify([
    (await sandbox.control('GET', '/journal?format=har')).body,
    (await sandbox.control('GET', '/journal')).body,
  ]);
  expect(journal).toContain('left out: it is not JSON, and may hold a secret');
  expect(journal).not.toMatch(/Qx7wPq0zz|QX7W/i);
});

test('the proxy does not print the password of its service', async () => {
  const proxy = run('cli/countersign.mjs', [
    'proxy',
    '--port',
    '0',
    '--upstream',
    'http://user:Qx7wPq0zz@127.0.0.1:1/',
  ]);
  await proxy.waitFor(/ready at \S+, before http:\/\/masked@127\.0\.0\.1:1\/\n/);
  expect(proxy.output()).not.toContain('Qx7wPq0zz');
});

describe('twice the text takes at most about twice the work', () => {
  const size = byLength(15_000, 200_000);
  test.each(['eyJ', 'a=', 'a=%25', '%41', 'eyJa.', '{', '"', 'AGENT-', 'a ', '&', '\\u0000'])('%j', (piece) => {
    const costOf = (count: number): number => {
      const text = piece.repeat(count);
      const costs = Array.from({ length: 3 }, () => {
        const before = process.cpuUsage();
        maskUrl(text);
        maskPlainText(text);
        return process.cpuUsage(before).user / 1000;
      });
      return Math.min(...costs);
    };
    // If the cost grew with the square, it would be four times as much, and seconds. A busy machine adds some
    // milliseconds.
    expect(costOf(2 * size)).toBeLessThan(3 * costOf(size) + 200);
  });
});
