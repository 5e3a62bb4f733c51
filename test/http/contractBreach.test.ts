/**
 * Promise: after any internal fault the client gets the contract's 500 or 503 without the cause, the log gets the
 * place, and nothing of the failed work is stored.
 */
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import { operations } from '../../generated/operations.ts';
import { operation } from '../../mocks/sandbox/domains/operation.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { Problem, StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { bundle, expectRefusal } from '../support/expect/apiError.ts';
import { data, must, openSandbox } from '../support/sandbox/harness.ts';
import { clientKeys, magic, openSignedInWallet } from '../support/scenes/builders.ts';

const body = { customerType: 'INDIVIDUAL' as const, fullName: 'Ada s3cret' };

/** A sandbox whose createCustomer does its work and then ends with `end`. */
async function openBroken(end: (reply: { status: 201; body: unknown }) => unknown) {
  const createCustomer = operation('createCustomer', {
    async handle(call, unit, prepared) {
      return (await end((await handlers.createCustomer.handle(call, unit, prepared)) as never)) as never;
    },
  });
  return openSandbox({ handlers: { ...handlers, createCustomer } });
}

describe('a handler that breaks the contract', () => {
  test.each<[name: string, end: (reply: { status: 201; body: unknown }) => unknown, log: object]>([
    ['an undeclared status', () => ({ status: 418, body: {} }), { status: 418, faults: [{ pointer: '' }] }],
    [
      'a success of another operation',
      (reply) => ({ ...reply, status: 200 }),
      { status: 200, faults: [{ pointer: '' }] },
    ],
    [
      'a body with a wrong field',
      (reply) => ({ ...reply, body: { ...(reply.body as object), isDeleted: 's3cret' } }),
      { status: 201, faults: [{ pointer: '/isDeleted', message: 'must be boolean' }] },
    ],
    [
      'a body that lacks a field deep down',
      (reply) => ({ ...reply, body: { ...(reply.body as object), address: { line1: 's3cret' } } }),
      { status: 201, faults: [{ pointer: '/address/city' }, { pointer: '/address/state' }, {}, {}] },
    ],
    ['no body', ({ status }) => ({ status }), { status: 201, faults: [{ pointer: '' }] }],
    ['null', ({ status }) => ({ status, body: null }), { status: 201, faults: [{ pointer: '' }] }],
    [
      'a code of another operation',
      () => Promise.reject(new Problem('SESSION_NOT_FOUND', 's3cret')),
      { status: 404, faults: [{ pointer: '' }] },
    ],
    [
      'a code that its status does not declare',
      () => Promise.reject(new Problem('CREDENTIAL_ALREADY_EXISTS', 's3cret')),
      { status: 409, faults: [{ pointer: '/code' }] },
    ],
  ])('%s: 500, logged with its pointer, rolled back', async (_name, end, log) => {
    const sandbox = await openBroken(end);
    const before = [await sandbox.send('GET', '/customers'), await sandbox.send('GET', '/customers/internal-accounts')];
    const answer = await sandbox.send('POST', '/customers', { body });
    expectRefusal(answer, 500, 'INTERNAL_ERROR');
    expect(answer.body).toEqual({ status: 500, code: 'INTERNAL_ERROR', message: expect.any(String) });
    expect(answer.body.message).not.toContain('s3cret');
    expect(sandbox.log).toMatchObject([{ facts: { operationId: 'createCustomer', ...log } }]);
    const after = [await sandbox.send('GET', '/customers'), await sandbox.send('GET', '/customers/internal-accounts')];
    expect(after.map((list) => list.body)).toEqual(before.map((list) => list.body));
  });

  test.each<[name: string, thrown: unknown]>([
    ['an Error', new Error('s3cret failed at /home/somebody')],
    ['a string', 's3cret'],
    ['nothing', undefined],
    ['an object', { status: 400, code: 'INVALID_INPUT', message: 's3cret' }],
  ])('%s that is thrown: 500, logged, rolled back', async (_name, thrown) => {
    const sandbox = await openBroken(() => Promise.reject(thrown));
    const before = await sandbox.send('GET', '/customers');
    const answer = await sandbox.send('POST', '/customers', { body });
    expectRefusal(answer, 500, 'INTERNAL_ERROR');
    expect(JSON.stringify(answer.body)).not.toMatch(/s3cret|home|Error:/);
    expect(sandbox.log).toHaveLength(1);
    expect((await sandbox.send('GET', '/customers')).body).toEqual(before.body);
  });

  test('the neighbours in the same commit are kept', async () => {
    const sandbox = await openBroken((reply) =>
      (reply.body as { fullName: string }).fullName === 'broken' ? { status: 418 } : reply,
    );
    const names = ['one', 'broken', 'two', 'broken', 'three'];
    const answers = await Promise.all(
      names.map((fullName) => sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', fullName } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 500, 201, 500, 201]);
    const { data: kept } = data(await sandbox.client.GET('/customers', { params: { query: { limit: 3 } } }));
    expect(kept.map((customer) => 'fullName' in customer && customer.fullName)).toEqual(['three', 'two', 'one']);
  });

  test('a contract that promises less than the sandbox does is broken as well', async () => {
    const planted = structuredClone(bundle);
    delete planted.paths['/customers'].get.responses['200'];
    const sandbox = await openSandbox({ contract: loadContract(planted) });
    expectRefusal(await sandbox.send('GET', '/customers'), 500, 'INTERNAL_ERROR');
    expect(sandbox.log).toMatchObject([{ facts: { operationId: 'listCustomers', status: 200 } }]);
  });
});

describe('storage that fails', () => {
  /** A store that fails from a moment on, like an engine whose disk is full or whose file is gone. */
  async function openFailing() {
    const real = await openSqlite(':memory:');
    const state: { fails?: 'read' | 'transaction' } = {};
    const refuse = (): Promise<never> => Promise.reject(new StorageUnavailable(new Error('disk s3cret is full')));
    const store: Store = {
      read: (work) => (state.fails === 'read' ? refuse() : real.read(work)),
      transaction: (id, work) => (state.fails === 'transaction' ? refuse() : real.transaction(id, work)),
      hold: (id, work) => (state.fails === 'transaction' ? refuse() : real.hold(id, work)),
      counts: () => real.counts(),
      close: () => real.close(),
    };
    return { state, sandbox: await openSandbox({ store }) };
  }

  test.each(['read', 'transaction'] as const)('a %s: 503 until it works again', async (fails) => {
    const { state, sandbox } = await openFailing();
    state.fails = fails;
    const answer = await sandbox.send('POST', '/customers', { body });
    expectRefusal(answer, 503, 'STORAGE_UNAVAILABLE');
    expectRefusal(await sandbox.control('POST', '/reset'), 503, 'STORAGE_UNAVAILABLE');
    expect(JSON.stringify(answer.body)).not.toContain('s3cret');
    expect(sandbox.log[0]?.facts?.['cause']).toContain('disk s3cret is full');
    delete state.fails;
    expect((await sandbox.send('GET', '/customers')).body.totalCount).toBe(2);
  });
});

describe('the log', () => {
  test('holds no secret, whatever fails', async () => {
    const secrets = [magic.otp, 'Basic ', 'c2FuZGJveDpzYW5kYm94', 's3cret', 'ada@example.com'];
    const failing = Object.fromEntries(
      Object.entries(handlers).map(([id, handler]) => [
        id,
        { ...handler, handle: async () => ({ status: 418, body: { clientSecret: 's3cret' } }) },
      ]),
    ) as unknown as typeof handlers;
    const whole = await openSandbox();
    const { accountId, email } = await openSignedInWallet(whole);
    const token = data(await whole.client.POST('/tokens', { body: { name: 's3cret', permissions: ['VIEW'] } }));
    const broken = await openSandbox({ handlers: failing });
    const { publicKeyHex: clientPublicKey } = clientKeys();
    const proof = { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey };
    must(await broken.send('POST', `/auth/credentials/${email.id}/verify`, { body: proof }), 500);
    must(await broken.send('POST', '/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } }), 500);
    must(await broken.send('POST', '/customers', { body: { ...body, email: 'ada@example.com' } }), 500);
    must(await broken.send('POST', '/tokens', { body: { name: 's3cret', permissions: ['VIEW'] } }), 500);
    expect(broken.log.length).toBe(4);
    const text = JSON.stringify([whole.log, broken.log]);
    for (const secret of [...secrets, token.clientSecret, clientPublicKey]) expect(text).not.toContain(secret);
  });
});

describe('the validators', () => {
  test('case 112: every schema of every request and reply compiles', () => {
    const contract = loadContract();
    for (const one of operations) {
      for (const place of ['path', 'query', 'header'] as const) contract.checkParameters(one, place, {});
      if (one.body !== 'none') expect(contract.checkRequest(one, 5)).not.toEqual([]);
      for (const status of one.statuses) expect(contract.checkResponse(one, status, 5)).not.toEqual([]);
    }
  });
});
