/**
 * Promise: the signed-retry pattern is the same for every operation and with both proofs (D13, D15, D16). A first call
 * changes nothing. A retry works once, in time, and only for the challenged request. The checks have one order, and a
 * refused retry doesn't use up the pending request.
 */
import { describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { challengeCredential, type Kind, signInBy, stampOf, verify } from '../support/proofs/prover.ts';
import {
  effectsAtFirst,
  openScene,
  readEffects,
  type Scene,
  type SignedOperation,
  send,
  signedOperations,
  wrongSignature,
} from '../support/proofs/signedRetries.ts';
import { sample } from '../support/run/length.ts';
import { must, startOfTime } from '../support/sandbox/harness.ts';
import { clientKeys, magic, signed } from '../support/scenes/builders.ts';

const unauthorized = (code: string) => ({ status: 401, body: { status: 401, code } });
const mismatch = unauthorized('WALLET_SIGNATURE_BODY_MISMATCH');

/** Wrong signatures, from almost right to nonsense. */
function wrongSignatures({ prover, signedIn }: Scene, payload: string): string[] {
  const right = prover.sign(payload, signedIn);
  const others = ['', 'nonsense', right.slice(0, -2), `${right}=`, right.toUpperCase(), magic.oidcToken];
  if (prover.kind === 'magic') return [...others, stampOf(payload, signedIn.privateKey)];
  return [
    ...others.filter((one) => one !== `${right}=`),
    magic.walletSignature,
    prover.sign(`${payload} `, signedIn),
    prover.sign(JSON.stringify(JSON.parse(payload), null, 1), signedIn),
    stampOf(payload, clientKeys(5).privateKey),
  ];
}

test('the family is complete: every operation that takes the two headers is in the table', () => {
  const family = operations.filter(({ statuses }) => (statuses as readonly number[]).includes(202));
  expect(signedOperations.map(({ id }) => id).sort()).toEqual(family.map(({ id }) => id).sort());
});

test.each(signedOperations)('case 37: $id with a Request-Id alone is 401', async ({ method, request }) => {
  const scene = await openScene('magic');
  const asked = await request(scene);
  const { body: challenge } = await send(scene, method, asked);
  const answer = await send(scene, method, asked, { 'Request-Id': challenge.requestId });
  expect(answer).toMatchObject(unauthorized('WALLET_SIGNATURE_MISSING'));
});

const everyWay = (['magic', 'real'] as const).flatMap((kind) =>
  sample(signedOperations, 2).map((operation) => ({ kind, id: operation.id, operation })),
);

describe.each<{ kind: Kind; id: string; operation: SignedOperation }>(everyWay)('$id, $kind', ({ kind, operation }) => {
  const { method, spoil } = operation;
  const open = async () => {
    const scene = await openScene(kind);
    const request = await operation.request(scene);
    const { status, body: challenge } = await send(scene, method, request);
    expect(status).toBe(202);
    const right = scene.prover.sign(challenge.payloadToSign, scene.signedIn);
    const retry = (requestId: string = challenge.requestId, signature: string = right) =>
      send(scene, method, request, signed(requestId, signature));
    return { scene, request, challenge, right, retry, state: () => readEffects(scene) };
  };

  test('the first call returns a challenge of five minutes and changes nothing', async () => {
    const { challenge, state } = await open();
    expect(challenge).toEqual({
      payloadToSign: expect.stringMatching(/./),
      requestId: expect.stringMatching(/^Request:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      expiresAt: new Date(startOfTime + 300_000).toISOString(),
      type: operation.type,
    });
    expect(await state()).toEqual(effectsAtFirst);
  });

  test('each first call is a challenge of its own, with its own payload', async () => {
    const { scene, request, challenge } = await open();
    const { body: second } = await send(scene, method, request);
    expect(second.requestId).not.toBe(challenge.requestId);
    expect(second.payloadToSign).not.toBe(challenge.payloadToSign);
  });

  test('case 40: a signed retry works once; the same again is 401 and changes nothing', async () => {
    const { retry, state } = await open();
    expect((await retry()).status).toBe(operation.success);
    expect(await state()).toEqual({ ...effectsAtFirst, ...operation.effect });
    expect(await retry()).toMatchObject(unauthorized('REQUEST_ID_INVALID'));
    expect(await state()).toEqual({ ...effectsAtFirst, ...operation.effect });
  });

  test('case 37: one of the two headers alone is 401, and the pending request stays usable', async () => {
    const { scene, request, challenge, right, retry, state } = await open();
    const noId = await send(scene, method, request, { 'Service-Wallet-Signature': right });
    expect(noId).toMatchObject(unauthorized('REQUEST_ID_MISSING'));
    const noSignature = await send(scene, method, request, { 'Request-Id': challenge.requestId });
    expect(noSignature).toMatchObject(unauthorized('WALLET_SIGNATURE_MISSING'));
    expect(await state()).toEqual(effectsAtFirst);
    expect((await retry()).status).toBe(operation.success);
  });

  test('a wrong signature is 401 with its reason, and the pending request stays usable', async () => {
    const { scene, challenge, retry, state } = await open();
    const message =
      'The signature is not from a session that may sign this request; sign with the key of an active session.';
    for (const signature of wrongSignatures(scene, challenge.payloadToSign)) {
      const answer = await retry(challenge.requestId, signature);
      expect([signature, answer]).toMatchObject([signature, { status: 401, body: { ...wrongSignature, message } }]);
    }
    expect(await state()).toEqual(effectsAtFirst);
    expect((await retry()).status).toBe(operation.success);
  });

  test('a Request-Id that is not exactly one that waits is 401', async () => {
    const { scene, challenge, retry, state } = await open();
    const proof = await scene.prover.prove(scene.passkey);
    const uuid = challenge.requestId.slice('Request:'.length);
    const unknown = 'Request:00000000-0000-7000-8000-000000000000';
    const others = ['', 'nonsense', uuid, `Request:${uuid.toUpperCase()}x`, unknown, proof.headers['Request-Id']];
    for (const requestId of others) {
      expect(await retry(requestId)).toMatchObject(unauthorized('REQUEST_ID_INVALID'));
    }
    expect(await state()).toEqual(effectsAtFirst);
    expect((await verify(scene.sandbox, scene.passkey.id, proof)).status).toBe(200);
    expect((await retry()).status).toBe(operation.success);
  });

  test('case 38: a challenge is good for its own target only: not another resource, not another operation', async () => {
    const { scene, challenge, right, retry, state } = await open();
    const headers = signed(challenge.requestId, right);
    expect(await send(scene, method, await operation.other(scene), headers)).toMatchObject(mismatch);
    for (const another of signedOperations.filter(({ id }) => id !== operation.id)) {
      const request = await another.request(scene);
      expect([another.id, await send(scene, another.method, request, headers)]).toMatchObject([another.id, mismatch]);
    }
    expect(await state()).toEqual(effectsAtFirst);
    expect((await retry()).status).toBe(operation.success);
  });

  test.each([
    ['one second before expiresAt', 299, operation.success],
    ['at expiresAt', 300, 401],
    ['one second after expiresAt', 301, 401],
  ])('case 43: %s (%i s): %i', async (_name, seconds, status) => {
    const { scene, retry, state } = await open();
    await scene.sandbox.advance(seconds);
    const answer = await retry();
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer).toMatchObject(unauthorized('REQUEST_ID_INVALID'));
      expect(await state()).toEqual(effectsAtFirst);
    } else if (answer.body?.updatedAt !== undefined) {
      expect(answer.body.updatedAt).toBe(new Date(startOfTime + seconds * 1000).toISOString());
    }
  });

  test('without an active session that may sign, the right signature is refused', async () => {
    const scene = await openScene(kind);
    await scene.sandbox.advance(14 * 60);
    const request = await operation.request(scene);
    const { body: challenge } = await send(scene, method, request);
    await scene.sandbox.advance(60);
    const { status, ...body } = operation.unsigned;
    const headers = signed(challenge.requestId, scene.prover.sign(challenge.payloadToSign, scene.signedIn));
    const refused = await send(scene, method, request, headers);
    expect(refused).toMatchObject({ status, body });
    if (body.reason !== undefined) expect(refused.body.message).toMatch(/no active session.* Verify/);
  });

  describe('with several faults at once, the order of checks decides (D15)', () => {
    const { status = 0, code = '' } = spoil ?? {};
    const faults = { used: false, elsewhere: false, spoilt: false, badSignature: true };
    const rows: [has: typeof faults, status: number, code: string][] = [
      [{ ...faults, used: true, elsewhere: true }, 401, 'REQUEST_ID_INVALID'],
      [{ ...faults, used: true }, 401, 'REQUEST_ID_INVALID'],
      [{ ...faults, elsewhere: true, spoilt: true }, 401, 'WALLET_SIGNATURE_BODY_MISMATCH'],
      [{ ...faults, elsewhere: true }, 401, 'WALLET_SIGNATURE_BODY_MISMATCH'],
      [{ ...faults, spoilt: true }, status, code],
      [{ ...faults, spoilt: true, badSignature: false }, status, code],
      [faults, 401, 'UNAUTHORIZED'],
    ];
    const possible = rows.filter(([has]) => !has.spoilt || spoil !== undefined);
    test.each(possible)('%j: %i %s', async (has, expectedStatus, expectedCode) => {
      const { scene, request, challenge, right, retry, state } = await open();
      // Success spoils the next retry too: what it revokes is gone, what it creates exists.
      if (has.used) expect((await retry()).status).toBe(operation.success);
      if (has.spoilt) await spoil?.make(scene);
      const before = await state();
      const headers = signed(challenge.requestId, has.badSignature ? 'wrong' : right);
      const target = has.elsewhere ? await operation.other(scene) : request;
      const answer = await send(scene, method, target, headers);
      expect(answer).toMatchObject({ status: expectedStatus, body: { code: expectedCode } });
      expect(await state()).toEqual(before);
    });

    test('a header that is missing comes before all of them', async () => {
      const { scene, challenge } = await open();
      await spoil?.make(scene);
      const elsewhere = await operation.other(scene);
      const alone = await send(scene, method, elsewhere, { 'Request-Id': challenge.requestId });
      expect(alone).toMatchObject(unauthorized('WALLET_SIGNATURE_MISSING'));
      const unsigned = await send(scene, method, elsewhere, { 'Service-Wallet-Signature': 'wrong' });
      expect(unsigned).toMatchObject(unauthorized('REQUEST_ID_MISSING'));
    });
  });
});

test.each<[string, (scene: Scene) => Promise<unknown>]>([
  ['a challenge to sign', (scene) => send(scene, 'DELETE', { path: `/auth/credentials/${scene.passkey.id}` })],
  ["a passkey's challenge", ({ sandbox, passkey }) => challengeCredential(sandbox, passkey.id)],
  ['a sign-in', ({ prover, email }) => signInBy(prover, email)],
  ['a list of sessions', ({ sandbox, accountId }) => sandbox.send('GET', `/auth/sessions?accountId=${accountId}`)],
])('with %s, sessions and challenges that have expired leave the store', async (_name, ask) => {
  const scene = await openScene('magic');
  const { sandbox } = scene;
  must(await send(scene, 'DELETE', { path: `/auth/sessions/${scene.signedIn.session.id}` }), 202);
  await sandbox.advance(16 * 60);
  const expired = async () => {
    const { records } = (await sandbox.control('GET', '/snapshot')).body;
    const isOver = ({ expiresAt }: { expiresAt: number }) => expiresAt <= startOfTime + 16 * 60_000;
    return [records.sessions.filter(isOver).length, records.pending_requests.filter(isOver).length];
  };
  expect((await expired()).every((count) => count > 1)).toBe(true);
  await ask(scene);
  expect(await expired()).toEqual([0, 0]);
});
