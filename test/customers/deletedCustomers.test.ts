/**
 * Promise: with a customer, everything that could move money or sign is gone. The records stay readable, and never
 * change again (D39, D67).
 */
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import {
  assertionRequest,
  clientKeys,
  magic,
  openSignedInWallet,
  openWallet,
  passkeyRequest,
  registerEmailOtp,
  signed,
  walletState,
} from '../support/scenes/builders.ts';
import {
  addOwner,
  deleteCustomer,
  neededInfo,
  openBusiness,
  ownerRequest,
  verify,
} from '../support/scenes/businesses.ts';

const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe('afterwards', () => {
  const openDeleted = async (type: 'INDIVIDUAL' | 'BUSINESS') => {
    const sandbox = await openSandbox();
    const fields = type === 'BUSINESS' ? { businessInfo: neededInfo } : {};
    const id = await openBusiness(sandbox, { customerType: type, ...fields });
    const owner = type === 'BUSINESS' ? (await addOwner(sandbox, id)).id : 'BeneficialOwner:none';
    if (type === 'BUSINESS') await verify(sandbox, id);
    await deleteCustomer(sandbox, id);
    return { sandbox, id, owner };
  };
  const requests = (id: string, owner: string): Record<string, [method: string, path: string, body?: object]> => ({
    'an update': ['PATCH', `/customers/${id}`, { customerType: 'BUSINESS', email: 'a@b.example' }],
    'an update of the wrong type': ['PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL' }],
    'a deletion': ['DELETE', `/customers/${id}`],
    'another owner': ['POST', '/beneficial-owners', ownerRequest(id)],
    'an owner who breaks a rule': ['POST', '/beneficial-owners', ownerRequest(id, {}, { roles: ['UBO'] })],
    'an update of an owner': ['PATCH', `/beneficial-owners/${owner}`, { roles: ['UBO'] }],
    'a verification': ['POST', '/verifications', { customerId: id }],
    'an external account': [
      'POST',
      '/customers/external-accounts',
      { customerId: id, currency: 'BTC', accountInfo: { accountType: 'SPARK_WALLET', address: 'spark1abc' } },
    ],
  });
  const reads = (id: string) => [
    `/customers/${id}`,
    '/customers?isIncludingDeleted=true',
    `/customers/internal-accounts?customerId=${id}`,
    `/customers/external-accounts?customerId=${id}`,
    `/beneficial-owners?customerId=${id}`,
    `/verifications?customerId=${id}`,
  ];

  test.each(Object.keys(requests('', '')))('%s is 410, and all that can be read stays', async (name) => {
    for (const type of ['BUSINESS', 'INDIVIDUAL'] as const) {
      const { sandbox, id, owner } = await openDeleted(type);
      if (type === 'INDIVIDUAL' && name === 'an update of an owner') continue;
      const state = () => Promise.all(reads(id).map(async (path) => (await sandbox.send('GET', path)).body));
      const before = await state();
      const [method, path, body] = requests(id, owner)[name] ?? ['', ''];
      expectRefusal(await sandbox.send(method, path, { body }), 410, 'CUSTOMER_DELETED');
      expect(await state()).toEqual(before);
    }
  });

  test('its owners and verifications can be read', async () => {
    const { sandbox, id, owner } = await openDeleted('BUSINESS');
    expect((await sandbox.send('GET', `/beneficial-owners/${owner}`)).status).toBe(200);
    expect(idsOf(await sandbox.send('GET', `/beneficial-owners?customerId=${id}`))).toEqual([owner]);
    expect((await sandbox.send('GET', `/verifications?customerId=${id}`)).body.totalCount).toBe(1);
    expect((await sandbox.send('GET', `/customers/${id}`)).body.beneficialOwners).toMatchObject([{ id: owner }]);
  });

  test('adding money is 400', async () => {
    const { sandbox, id } = await openDeleted('INDIVIDUAL');
    const [account] = await accountsOf(sandbox, id);
    const path = `/sandbox/internal-accounts/${account?.id}/fund`;
    expectRefusal(await sandbox.send('POST', path, { body: { amount: 1 } }), 400, 'INVALID_INPUT');
    expect(await accountsOf(sandbox, id)).toEqual([account]);
  });
});

describe('a wallet', () => {
  test('loses its credentials and sessions: each is 404', async () => {
    const sandbox = await openSandbox();
    const { customer, accountId, email, passkey, session } = await openSignedInWallet(sandbox);
    await deleteCustomer(sandbox, customer.id);
    expect(await walletState(sandbox, accountId)).toEqual({ credentials: [], sessions: [] });
    const clientPublicKey = clientKeys().publicKeyHex;
    const calls: [method: string, path: string, body?: object][] = [
      ['POST', `/auth/credentials/${email.id}/challenge`],
      ['POST', `/auth/credentials/${email.id}/verify`, { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey }],
      ['POST', `/auth/credentials/${passkey.id}/challenge`, { clientPublicKey }],
      ['DELETE', `/auth/credentials/${passkey.id}`],
      ['DELETE', `/auth/sessions/${session.id}`],
      ['POST', `/auth/sessions/${session.id}/refresh`, { clientPublicKey }],
    ];
    for (const [method, path, body] of calls) {
      const code = path.startsWith('/auth/sessions') ? 'SESSION_NOT_FOUND' : 'CREDENTIAL_NOT_FOUND';
      expectRefusal(await sandbox.send(method, path, { body }), 404, code);
    }
  });

  test('completes nothing that waited for a signature or an assertion', async () => {
    const sandbox = await openSandbox();
    const { customer, accountId, passkey, session } = await openSignedInWallet(sandbox);
    const keys = { clientPublicKey: clientKeys().publicKeyHex };
    const waiting: [method: string, path: string, body: object | undefined, status: number][] = [
      ['DELETE', `/auth/credentials/${passkey.id}`, undefined, 404],
      ['DELETE', `/auth/sessions/${session.id}`, undefined, 404],
      ['POST', `/auth/sessions/${session.id}/refresh`, keys, 404],
      ['PATCH', `/customers/${customer.id}`, { customerType: 'INDIVIDUAL', email: 'new@example.com' }, 410],
      ['POST', `/internal-accounts/${accountId}/export`, keys, 410],
    ];
    const issued = [];
    for (const [method, path, body, status] of waiting) {
      const { status: first, body: challenge } = await sandbox.send(method, path, { body });
      expect([path, first]).toEqual([path, 202]);
      issued.push({ method, path, body, status, headers: signed(challenge.requestId) });
    }
    const asked = await sandbox.send('POST', `/auth/credentials/${passkey.id}/challenge`, { body: keys });
    await deleteCustomer(sandbox, customer.id);
    for (const { method, path, body, status, headers } of issued) {
      const retry = await sandbox.send(method, path, { body, headers });
      expect([path, retry.status]).toEqual([path, status]);
    }
    const verified = await sandbox.send('POST', `/auth/credentials/${passkey.id}/verify`, {
      body: assertionRequest(),
      headers: { 'Request-Id': asked.body.requestId },
    });
    expectRefusal(verified, 404, 'CREDENTIAL_NOT_FOUND');
    expect(await walletState(sandbox, accountId)).toEqual({ credentials: [], sessions: [] });
  });

  test.each<[type: 'PASSKEY' | 'EMAIL_OTP', closing: string, status: number, code: ErrorCode]>([
    ['PASSKEY', 'the deletion', 410, 'CUSTOMER_DELETED'],
    ['EMAIL_OTP', 'the deletion', 410, 'CUSTOMER_DELETED'],
    ['PASSKEY', 'an update without USDB', 400, 'INVALID_INPUT'],
    ['EMAIL_OTP', 'an update without USDB', 400, 'INVALID_INPUT'],
  ])('that never had a credential takes no %s any more after %s: %i', async (type, closing, status, code) => {
    const sandbox = await openSandbox();
    const { customer, accountId } = await openWallet(sandbox);
    const change = { customerType: 'INDIVIDUAL', currencies: ['USD'] };
    if (closing === 'the deletion') await deleteCustomer(sandbox, customer.id);
    else expect((await sandbox.send('PATCH', `/customers/${customer.id}`, { body: change })).status).toBe(200);
    const body = type === 'PASSKEY' ? passkeyRequest(accountId) : { type, accountId };
    expectRefusal(await sandbox.send('POST', '/auth/credentials', { body }), status, code);
    expect(await walletState(sandbox, accountId)).toEqual({ credentials: [], sessions: [] });
  });

  test('leaves its passkey and its e-mail address to others', async () => {
    const sandbox = await openSandbox();
    const { customer } = await openSignedInWallet(sandbox);
    await deleteCustomer(sandbox, customer.id);
    const again = await openWallet(sandbox);
    const passkey = await sandbox.send('POST', '/auth/credentials', { body: passkeyRequest(again.accountId) });
    expect(passkey.status).toBe(201);
    const third = await openWallet(sandbox);
    expect((await registerEmailOtp(sandbox, third.accountId)).nickname).toBe('ada@example.com');
  });
});
