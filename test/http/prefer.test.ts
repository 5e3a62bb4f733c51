/**
 * Promise: `Prefer: code=…, example=…` returns that named example of the contract, word for word, in any spelling that
 * RFC 7240 allows. It changes nothing and doesn't replace authentication. An unknown code or example is 400.
 */
import { describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { expectNamedReplies } from '../support/requests/namedReplies.ts';
import { call, everything, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { sample } from '../support/run/length.ts';
import { openSandbox, type SendOptions } from '../support/sandbox/harness.ts';

describe('every documented reply', () => {
  test.each(sample(operations, 20))('case 124: of $id can be had by name', async (operation) => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const before = await everything(sandbox, targets);
    const [body] = requestExamples(operation);
    await expectNamedReplies(operation, {
      ask: (prefer) =>
        call(sandbox, operation, targets, pathOf(operation, targets), {
          ...(body === undefined ? {} : { body }),
          headers: { prefer },
        }),
      finish: async () => expect(await everything(sandbox, targets)).toEqual(before),
    });
  });

  test('case 124: the name alone finds its status, the status alone its first example', async () => {
    const sandbox = await openSandbox();
    const body = { customerType: 'INDIVIDUAL' };
    const ask = (prefer: string) => sandbox.send('POST', '/customers', { body, headers: { prefer } });
    expect(await ask('example=umaAddressExists')).toMatchObject({ status: 409, body: { code: 'UMA_ADDRESS_EXISTS' } });
    expect(await ask('code=409')).toMatchObject({ status: 409, body: { code: 'UMA_ADDRESS_EXISTS' } });
    expect(await ask('example=platformCustomerIdExists')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  test('case 125: what the sandbox makes itself has values of the right form as well', async () => {
    const sandbox = await openSandbox();
    const { data } = (await sandbox.send('GET', '/customers/internal-accounts')).body;
    const canned = await sandbox.send('GET', '/customers/internal-accounts', { headers: { prefer: 'code=200' } });
    for (const account of [...data, ...canned.body.data]) {
      expect(account.id).toMatch(/^InternalAccount:[\w-]+$/);
      expect(Number.isInteger(account.balance.amount)).toBe(true);
      expect(Object.values(account)).not.toContain(null);
    }
  });
});

describe('spelling', () => {
  const prefer = async (...lines: string[]) => {
    const sandbox = await openSandbox();
    const headers = { prefer: lines.join(', ') };
    return (await sandbox.send('GET', '/customers/Customer:none', { headers })).status;
  };

  test.each([
    'code=403',
    'code="403"',
    'code = 403',
    'CODE=403',
    'respond-async, code="403" ;x=1',
    'code=403; foo="a, code=401"',
    'wait=10,return=minimal,code=403',
    'a="x, code=401", code=403',
    'a="\\"", code=403',
    'code="4\\03"',
    'code=403, code=401',
    ', ,code=403,',
    'handling=lenient;x, code=403',
  ])('case 124: %s asks for 403', async (header) => {
    expect(await prefer(header)).toBe(403);
  });

  test('case 124: two header lines count as one list', async () => {
    expect(await prefer('respond-async', 'code=403')).toBe(403);
    expect(await prefer('code=403', 'example=forbidden')).toBe(403);
  });

  test.each([
    '',
    'respond-async',
    'return=minimal',
    'codes=403',
    'x; code=403',
    'code',
    '"code=403"',
    'mode=code=403',
    ';;;',
  ])('case 124: "%s" asks for nothing that we know', async (header) => {
    expect(await prefer(header)).toBe(header === 'code' ? 400 : 404);
  });
});

describe('unknown names', () => {
  test.each([
    'code=418',
    'code=500',
    'code=409',
    'code=0200',
    'code=2xx',
    'code=""',
    'example=nope',
    'example=""',
    'example=__proto__',
    'example=constructor',
    'code=401, example=individual',
    'code=200, example=nope',
  ])('case 124: %s is 400, and the message says what there is', async (header) => {
    const sandbox = await openSandbox();
    const { data } = (await sandbox.send('GET', '/customers')).body;
    const answer = await sandbox.send('GET', `/customers/${data[0].id}`, { headers: { prefer: header } });
    const refused = expectRefusal(answer, 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['header /Prefer']);
    expect(refused.message).toMatch(/only (200, 400|individual|unauthorized)/);
    expect(answer.headers.get('preference-applied')).toBeNull();
  });
});

describe('the order of checks', () => {
  test.each<[name: string, path: string, options: SendOptions, status: number]>([
    ['authentication', '/customers', { authorization: null }, 401],
    ['validation', '/customers?limit=0', {}, 400],
    ['the form of an id', '/customers/none', {}, 404],
    ['the path', '/nothing', {}, 404],
    ['the media type', '/customers', { headers: { accept: 'text/html' } }, 406],
  ])('%s', async (_name, path, options, status) => {
    const sandbox = await openSandbox();
    const headers = { ...options.headers, prefer: 'code=200' };
    const answer = await sandbox.send('GET', path, { ...options, headers });
    expectRefusal(answer, status, answer.body?.code);
  });
});
