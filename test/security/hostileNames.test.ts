/**
 * Promise: names with a meaning in JavaScript have none in the sandbox. As a field, a parameter, an id or a setting
 * they are ordinary names, refused where others are, and they never change an object.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { expectErrorShape } from '../support/expect/apiError.ts';
import { call, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { sample } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'];
const taking = operations.filter(({ body }) => body !== 'none');

/** Written as text, because `__proto__` in a literal would set the prototype. */
const withField = (text: string, name: string, value: string): string =>
  `${text.slice(0, -1)}${text === '{}' ? '' : ','}"${name}":${value}}`;

const ownOfObject = Object.getOwnPropertyNames(Object.prototype).sort();
afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(ownOfObject);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each(sample(taking, 12))('$id refuses fields with hostile names', async (operation) => {
  const sandbox = await openSandbox();
  const targets = await openTargets(sandbox);
  const [example = {}] = requestExamples(operation);
  for (const name of names) {
    const text = withField(JSON.stringify(example), name, '{"polluted":true}');
    const answer = await call(sandbox, operation, targets, pathOf(operation, targets), { text });
    expectErrorShape(answer);
    expect([name, answer.status]).toEqual([name, 400]);
  }
  expect(sandbox.log).toEqual([]);
});

test.each(sample(operations, 20))(
  '$id takes such an id for one that nothing has, and refuses such a parameter',
  async (operation) => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const body = requestExamples(operation)[0];
    const options = body === undefined ? {} : { body };
    for (const name of names) {
      if (operation.path.includes('{')) {
        const path = operation.path.replaceAll(/\{\w+\}/g, name);
        const answer = await call(sandbox, operation, targets, path, options);
        expect([name, answer.status >= 400 && answer.status < 500]).toEqual([name, true]);
      }
      const own = pathOf(operation, targets);
      const path = `${own}${own.includes('?') ? '&' : '?'}${name}=polluted`;
      const answer = await call(sandbox, operation, targets, path, options);
      expect([name, answer.status]).toEqual([name, 400]);
    }
    expect(sandbox.log).toEqual([]);
  },
);

describe('the control surface', () => {
  test.each([
    ['PUT', '/faults', '{}'],
    ['PUT', '/settings', '{"audiences":[]}'],
    ['POST', '/platforms', '{}'],
    ['POST', '/clock', '{"advanceSeconds":1}'],
  ])('%s %s refuses such a field', async (method, path, text) => {
    const sandbox = await openSandbox();
    for (const name of names) {
      const answer = await sandbox.control(method, path, { text: withField(text, name, '{"polluted":true}') });
      expect([name, answer.status]).toEqual([name, 400]);
    }
  });

  test('such names are nobody: no platform, no world, no token', async () => {
    const sandbox = await openSandbox();
    for (const name of names) {
      expect((await sandbox.control('GET', `/oidc/${name}/jwks`)).status).toBe(404);
      expect((await sandbox.control('POST', '/platforms', { body: { world: name } })).status).toBe(400);
      expect((await sandbox.send('GET', '/customers', { authorization: `Basic ${btoa(`${name}:x`)}` })).status).toBe(
        401,
      );
      expect((await sandbox.send('GET', '/customers', { headers: { prefer: `example=${name}` } })).status).toBe(400);
    }
  });

  test('a claim of such a name goes into the token as it is, and into nothing else', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.control('POST', '/oidc/token', { text: '{"sub":"a","__proto__":{"polluted":true}}' });
    expect(answer.status).toBe(201);
    const claims = Buffer.from(answer.body.idToken.split('.')[1], 'base64url').toString();
    expect(claims).toContain('"sub":"a"');
  });
});
