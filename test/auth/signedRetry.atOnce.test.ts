/**
 * Promise: of identical simultaneous signed retries exactly one succeeds, on every engine and with both proofs (D15).
 * In a separate file, because files that send twenty requests at once also run on PostgreSQL.
 */
import { expect, test } from 'vitest';
import type { Kind } from '../support/proofs/prover.ts';
import {
  effectsAtFirst,
  openScene,
  readEffects,
  type SignedOperation,
  send,
  signedOperations,
} from '../support/proofs/signedRetries.ts';
import { byLength } from '../support/run/length.ts';
import { signed } from '../support/scenes/builders.ts';

const everyWay = (['magic', 'real'] as const).flatMap((kind) =>
  signedOperations.map((operation) => ({ kind, id: operation.id, operation })),
);
// Each operation once, and both proofs. The code that decides which retry is first depends on neither.
const someWays = everyWay.slice(0, signedOperations.length + 1);

test.each<{ kind: Kind; id: string; operation: SignedOperation }>(byLength(someWays, everyWay))(
  'case 41: $id, $kind: of twenty identical signed retries at once one succeeds',
  async ({ kind, operation }) => {
    const scene = await openScene(kind);
    const request = await operation.request(scene);
    const { status, body: challenge } = await send(scene, operation.method, request);
    expect(status).toBe(202);
    const signature = scene.prover.sign(challenge.payloadToSign, scene.signedIn);
    const retry = () => send(scene, operation.method, request, signed(challenge.requestId, signature));
    const answers = await Promise.all(Array.from({ length: 20 }, retry));
    expect(answers.filter((answer) => answer.status === operation.success)).toHaveLength(1);
    const refused = answers.filter((answer) => answer.status === 401);
    expect(refused.map(({ body }) => body.code)).toEqual(Array.from({ length: 19 }, () => 'REQUEST_ID_INVALID'));
    expect(await readEffects(scene)).toEqual({ ...effectsAtFirst, ...operation.effect });
  },
);
