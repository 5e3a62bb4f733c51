/**
 * Promise: the list shows the active sessions of one wallet, newest first, in pages, and never a key (D07, D13, D21,
 * D55).
 */
import { describe, expect, test } from 'vitest';
import type { AuthSessionSummary, SessionList } from '../../generated/types.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  signAndSend,
  signInWithOauth,
  signInWithPasskey,
  walletState,
} from '../support/scenes/builders.ts';

const list = (sandbox: TestSandbox, query: string) => sandbox.send('GET', `/auth/sessions${query}`);
const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

testCommonRefusals('listSessions', '/auth/sessions?accountId=InternalAccount:none');

/** A wallet with `count` sessions besides its first, which is 100 s older. Returns their ids, newest first. */
async function openSessions(count: number) {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  const oauth = await addCredential(sandbox, oauthRequest(wallet.accountId));
  await sandbox.advance(100);
  const opened: string[] = [];
  for (let index = 0; index < count; index += 1) opened.unshift((await signInWithOauth(sandbox, oauth.id)).id);
  return { sandbox, ...wallet, oauth, opened };
}

test('case 35: each session as it was issued, without its key', async () => {
  const sandbox = await openSandbox();
  const { accountId, session, passkey } = await openSignedInWallet(sandbox);
  const second = await signInWithPasskey(sandbox, passkey.id);
  const { status, body } = await list(sandbox, `?accountId=${accountId}`);
  expect(status).toBe(200);
  const withoutKey = ({ encryptedSessionSigningKey, ...rest }: typeof session): AuthSessionSummary => {
    expect(JSON.stringify(body)).not.toContain(encryptedSessionSigningKey);
    return rest;
  };
  expect(body).toEqual({ data: [second, session].map(withoutKey), hasMore: false, totalCount: 2 });
  expect(body.data[0].credentialId).toBe(passkey.credentialId);
});

test('case 35: the types have no key in a list either', () => {
  const entry = {} as SessionList['data'][number];
  // @ts-expect-error the key is in the replies of verify and refresh only
  expect(entry.encryptedSessionSigningKey).toBeUndefined();
});

describe('active only', () => {
  test('a session is there until one second before its end and vanishes at it', async () => {
    const { sandbox, accountId, session, opened } = await openSessions(2);
    await sandbox.advance(799);
    expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([...opened, session.id]);
    await sandbox.advance(1);
    const { body } = await list(sandbox, `?accountId=${accountId}`);
    expect(body).toMatchObject({ hasMore: false, totalCount: 2 });
    expect(ids(body)).toEqual(opened);
    await sandbox.advance(100);
    expect((await list(sandbox, `?accountId=${accountId}`)).body).toEqual({ data: [], hasMore: false, totalCount: 0 });
  });

  test('a revoked one, and those of a revoked credential, are gone', async () => {
    const { sandbox, accountId, session, oauth, opened } = await openSessions(3);
    expect((await signAndSend(sandbox, 'DELETE', `/auth/sessions/${opened[1]}`)).status).toBe(204);
    const { body } = await list(sandbox, `?accountId=${accountId}`);
    expect(ids(body)).toEqual([opened[0], opened[2], session.id]);
    expect((await signAndSend(sandbox, 'DELETE', `/auth/credentials/${oauth.id}`)).status).toBe(204);
    expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([session.id]);
  });
});

describe('pages', () => {
  test('cursor by cursor, every session once, newest first; totalCount is of all', async () => {
    const { sandbox, accountId, session, opened } = await openSessions(6);
    const seen: string[] = [];
    let cursor = '';
    for (let more = true; more; ) {
      const { body } = await list(sandbox, `?accountId=${accountId}&limit=3${cursor}`);
      seen.push(...ids(body));
      more = body.hasMore;
      expect(body.totalCount).toBe(7);
      expect('nextCursor' in body).toBe(more);
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(seen).toEqual([...opened, session.id]);
  });

  test('a page holds twenty when no limit is given', async () => {
    const { sandbox, accountId, opened } = await openSessions(21);
    const { body } = await list(sandbox, `?accountId=${accountId}`);
    expect(ids(body)).toEqual(opened.slice(0, 20));
    expect(body).toMatchObject({ hasMore: true, totalCount: 22 });
    expect((await list(sandbox, `?accountId=${accountId}&limit=21`)).body.data).toHaveLength(21);
  });

  test('sessions that end or begin between two pages neither repeat nor hide others', async () => {
    const { sandbox, accountId, oauth, opened } = await openSessions(5);
    const { body: first } = await list(sandbox, `?accountId=${accountId}&limit=2`);
    expect(ids(first)).toEqual(opened.slice(0, 2));
    await signAndSend(sandbox, 'DELETE', `/auth/sessions/${opened[1]}`);
    await signAndSend(sandbox, 'DELETE', `/auth/sessions/${opened[2]}`);
    await signInWithOauth(sandbox, oauth.id);
    // The oldest session expires too.
    await sandbox.advance(800);
    const { body: second } = await list(sandbox, `?accountId=${accountId}&limit=9&cursor=${first.nextCursor}`);
    expect(ids(second)).toEqual(opened.slice(3));
    expect(second).toMatchObject({ hasMore: false, totalCount: 4 });
  });

  test("another wallet's cursor: 400 that names it", async () => {
    const { sandbox, accountId } = await openSessions(2);
    const { body } = await list(sandbox, `?accountId=${accountId}&limit=1`);
    const other = await openWallet(sandbox, 'grace@example.com');
    const answer = await list(sandbox, `?accountId=${other.accountId}&limit=1&cursor=${body.nextCursor}`);
    const errors = [{ in: 'query', pointer: '/cursor' }];
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT', details: { errors } } });
  });
});

test('a wallet that does not exist: 200 and none (D55)', async () => {
  const sandbox = await openSandbox();
  const { status, body } = await list(sandbox, '?accountId=InternalAccount:none');
  expect({ status, body }).toEqual({ status: 200, body: { data: [], hasMore: false, totalCount: 0 } });
});

test.each([
  ['no accountId', '', '/accountId'],
  ['an accountId of another type', '?accountId=Session:s1', '/accountId'],
  ['limit 0', '?accountId=InternalAccount:a&limit=0', '/limit'],
  ['limit 101', '?accountId=InternalAccount:a&limit=101', '/limit'],
])('%s: 400 that names it', async (_name, query, pointer) => {
  const sandbox = await openSandbox();
  const errors = [{ in: 'query', pointer }];
  expect(await list(sandbox, query)).toMatchObject({ status: 400, body: { details: { errors } } });
});
