/**
 * Promise: `signedRetry` runs every operation with a signed retry in one typed call: success without the challenge,
 * errors unchanged. It repeats the same request, signs exactly the payload from the service, and returns every other
 * outcome unchanged.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  createServiceClient,
  createWalletKeys,
  type RetryHeaders,
  type Signed,
  SignedRetryError,
  type Signer,
  sandboxSigner,
  signedRetry,
} from '../../client/index.ts';
import type {
  AuthMethodResponse,
  AuthSession,
  Customer,
  InternalAccount,
  WalletExport,
} from '../../generated/types.ts';
import { baseUrl, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { magic, oauthRequest, openSignedInWallet, signInWithPasskey, walletState } from '../support/scenes/builders.ts';

/** A client whose requests are recorded, and the wallet that they use. */
async function openRecorded() {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  await signInWithPasskey(sandbox, wallet.passkey.id);
  const requests: { headers: Headers; body: string }[] = [];
  const client = recordingClient(sandbox, requests);
  return { sandbox, wallet, requests, client };
}

function recordingClient(sandbox: TestSandbox, requests: { headers: Headers; body: string }[]) {
  const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
  return createServiceClient({
    baseUrl,
    credentials,
    async fetch(request) {
      requests.push({ headers: request.headers, body: await request.clone().text() });
      return sandbox.fetch(request);
    },
  });
}

type Recorded = Awaited<ReturnType<typeof openRecorded>>;

/** Every operation with a signed retry, as an app would call it. */
const family = {
  createCredential: ({ client, wallet }: Recorded) => {
    const body = oauthRequest(wallet.accountId);
    return (header: RetryHeaders) => client.POST('/auth/credentials', { params: { header }, body });
  },
  revokeCredential: ({ client, wallet }: Recorded) => {
    const path = { id: wallet.email.id };
    return (header: RetryHeaders) => client.DELETE('/auth/credentials/{id}', { params: { path, header } });
  },
  revokeSession: ({ client, wallet }: Recorded) => {
    const path = { id: wallet.session.id };
    return (header: RetryHeaders) => client.DELETE('/auth/sessions/{id}', { params: { path, header } });
  },
  refreshSession: ({ client, wallet }: Recorded, clientPublicKey: string) => {
    const [path, body] = [{ id: wallet.session.id }, { clientPublicKey }];
    return (header: RetryHeaders) => client.POST('/auth/sessions/{id}/refresh', { params: { path, header }, body });
  },
  exportInternalAccount: ({ client, wallet }: Recorded, clientPublicKey: string) => {
    const [path, body] = [{ id: wallet.accountId }, { clientPublicKey }];
    return (header: RetryHeaders) => client.POST('/internal-accounts/{id}/export', { params: { path, header }, body });
  },
  updateInternalAccount: ({ client, wallet }: Recorded) => {
    const [path, body] = [{ id: wallet.accountId }, { privateEnabled: true }];
    return (header: RetryHeaders) => client.PATCH('/internal-accounts/{id}', { params: { path, header }, body });
  },
  updateCustomer: ({ client, wallet }: Recorded) => {
    const path = { customerId: wallet.customer.id };
    const body = { customerType: 'INDIVIDUAL' as const, email: 'byron@example.com' };
    return (header: RetryHeaders) => client.PATCH('/customers/{customerId}', { params: { path, header }, body });
  },
};

const { publicKeyHex } = await createWalletKeys();

describe('every operation of the family', () => {
  it.each<[keyof typeof family, number, object | undefined]>([
    ['createCredential', 201, { type: 'OAUTH' }],
    ['revokeCredential', 204, undefined],
    ['revokeSession', 204, undefined],
    ['refreshSession', 201, { encryptedSessionSigningKey: expect.any(String) }],
    ['exportInternalAccount', 200, { encryptedWalletCredentials: expect.any(String) }],
    ['updateInternalAccount', 200, { privateEnabled: true }],
    ['updateCustomer', 200, { email: 'byron@example.com' }],
  ])('%s ends in %i', async (operation, status, body) => {
    const recorded = await openRecorded();
    const call = family[operation](recorded, publicKeyHex) as (header: RetryHeaders) => Promise<Answered>;
    const { response, data, error } = await signedRetry(call, sandboxSigner);
    expect({ error, status: response.status }).toEqual({ error: undefined, status });
    if (body === undefined) expect(data).toBeUndefined();
    else expect(data).toMatchObject(body);

    const [first, second, ...more] = recorded.requests;
    expect(more).toEqual([]);
    expect(second?.body).toBe(first?.body);
    for (const name of ['Service-Wallet-Signature', 'Request-Id']) {
      expect([first?.headers.has(name), second?.headers.has(name)]).toEqual([false, true]);
    }
  });

  interface Answered {
    readonly response: Response;
    readonly data?: unknown;
    readonly error?: unknown;
  }

  it('is typed: the success is never a challenge, the errors are those of the call', () => {
    type Call<K extends keyof typeof family> = ReturnType<(typeof family)[K]>;
    type Plain<K extends keyof typeof family> = Awaited<ReturnType<Call<K>>>;
    type Outcome<K extends keyof typeof family> = Signed<Plain<K>>;
    type Success<K extends keyof typeof family> = Extract<Outcome<K>, { error?: never }>['data'];
    type Failure<O extends { error?: unknown }> = NonNullable<O['error']>;

    expectTypeOf<Success<'createCredential'>>().toEqualTypeOf<AuthMethodResponse>();
    expectTypeOf<Success<'refreshSession'>>().branded.toEqualTypeOf<AuthSession>();
    expectTypeOf<Success<'exportInternalAccount'>>().toEqualTypeOf<WalletExport>();
    expectTypeOf<Success<'updateInternalAccount'>>().toEqualTypeOf<InternalAccount>();
    expectTypeOf<Success<'updateCustomer'>>().toEqualTypeOf<Customer>();
    expectTypeOf<Success<'revokeCredential'>>().toEqualTypeOf<undefined>();
    expectTypeOf<Success<'revokeSession'>>().toEqualTypeOf<undefined>();

    type EachFailure = { [K in keyof typeof family]: Failure<Outcome<K>> };
    expectTypeOf<EachFailure>().toEqualTypeOf<{ [K in keyof typeof family]: Failure<Plain<K>> }>();
    expectTypeOf<Failure<Outcome<'revokeCredential'>>['code']>().extract<'LAST_CREDENTIAL'>().not.toBeNever();
    expectTypeOf<Failure<Outcome<'revokeCredential'>>['code']>().extract<'NO_RESPONSE'>().not.toBeNever();
    expectTypeOf<Failure<Outcome<'revokeSession'>>['code']>().extract<'LAST_CREDENTIAL'>().toBeNever();
  });

  it('is typed: a look at the error tells which of the two it is', async () => {
    const recorded = await openRecorded();
    const outcome = await signedRetry(family.createCredential(recorded), sandboxSigner);
    expectTypeOf(outcome.response).toEqualTypeOf<Response>();
    if (outcome.error) throw new Error(outcome.error.message);
    expect(outcome.data.nickname).toBe('ada@example.com');
  });
});

describe('what is signed', () => {
  it('is the payload as it came, and the request is the one it came for', async () => {
    const recorded = await openRecorded();
    const answers: { payloadToSign: string; requestId: string }[] = [];
    const call = family.updateInternalAccount(recorded);
    const signedTexts: string[] = [];
    const outcome = await signedRetry(
      async (header) => {
        const answer = await call(header);
        if (answer.response.status === 202) answers.push(answer.data as (typeof answers)[0]);
        return answer;
      },
      async (payloadToSign) => {
        signedTexts.push(payloadToSign);
        return magic.walletSignature;
      },
    );
    expect(outcome.response.status).toBe(200);
    expect(signedTexts).toEqual([answers[0]?.payloadToSign]);
    expect(recorded.requests[1]?.headers.get('Request-Id')).toBe(answers[0]?.requestId);
  });
});

const neverAsked: Signer = () => Promise.reject(new Error('Nothing was there to sign'));

describe('any other outcome is handed through', () => {
  it('a success that needs no signature', async () => {
    const { client, wallet, requests } = await openRecorded();
    const params = { path: { customerId: wallet.customer.id } };
    const body = { customerType: 'INDIVIDUAL' as const, fullName: 'Ada Lovelace' };
    const { data } = await signedRetry(
      (header) => client.PATCH('/customers/{customerId}', { params: { ...params, header }, body }),
      neverAsked,
    );
    expect(data).toMatchObject({ fullName: 'Ada Lovelace' });
    expect(requests).toHaveLength(1);
  });

  it('a refusal of the first call', async () => {
    const { client, requests } = await openRecorded();
    const path = { id: 'Session:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01' };
    const { error } = await signedRetry(
      (header) => client.DELETE('/auth/sessions/{id}', { params: { path, header } }),
      neverAsked,
    );
    expect(error).toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
    expect(requests).toHaveLength(1);
  });

  it('a refusal of the retry, which has changed nothing', async () => {
    const recorded = await openRecorded();
    const before = await walletState(recorded.sandbox, recorded.wallet.accountId);
    const { error } = await signedRetry(family.revokeSession(recorded), async () => 'something else');
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' });
    expect(await walletState(recorded.sandbox, recorded.wallet.accountId)).toEqual(before);
  });

  it('a connection that breaks in between', async () => {
    const { sandbox, wallet } = await openRecorded();
    const client = createServiceClient({
      baseUrl,
      credentials: { clientId: 'sandbox', clientSecret: 'sandbox' },
      fetch: async (request) => {
        if (request.headers.has('Request-Id')) throw new TypeError('fetch failed');
        return sandbox.fetch(request);
      },
    });
    const path = { id: wallet.session.id };
    const call = (header: RetryHeaders) => client.DELETE('/auth/sessions/{id}', { params: { path, header } });
    expect((await signedRetry(call, sandboxSigner)).error).toMatchObject({ code: 'NO_RESPONSE' });
  });

  it('what the signer throws, and nothing more is sent', async () => {
    const recorded = await openRecorded();
    await expect(signedRetry(family.revokeSession(recorded), neverAsked)).rejects.toThrow('Nothing was there to sign');
    expect(recorded.requests).toHaveLength(1);
  });
});

describe('a call that cannot be retried is a SignedRetryError', () => {
  it("when it loses the headers: the second challenge isn't a success", async () => {
    const recorded = await openRecorded();
    const before = await walletState(recorded.sandbox, recorded.wallet.accountId);
    const call = family.revokeCredential(recorded);
    const attempt = signedRetry(() => call({}), sandboxSigner);
    await expect(attempt).rejects.toThrow(SignedRetryError);
    await expect(attempt).rejects.toMatchObject({ name: 'SignedRetryError', fault: 'challenged-again' });
    expect(await walletState(recorded.sandbox, recorded.wallet.accountId)).toEqual(before);
  });

  it.each([[undefined], [{}], [{ payloadToSign: 'text' }], ['text'], [null]])(
    'when a 202 carries %o, as from a relay that drops the body',
    async (data) => {
      const attempt = signedRetry(async () => ({ data, response: new Response(null, { status: 202 }) }), neverAsked);
      await expect(attempt).rejects.toMatchObject({ fault: 'no-challenge' });
    },
  );
});
