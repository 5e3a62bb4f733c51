/**
 * Promise: no secret and no id that a client sends or gets is in the log or the metrics, for every operation.
 * (`conformance/journal.test.ts` tests the journal.) Secrets are compared in constant time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { call, openTargets, pathOf, requestExamples, type Targets } from '../support/requests/targets.ts';
import { basic, must, origin } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openLogging } from '../support/sandbox/requestLog.ts';

/** Every text in the targets that an attacker could use. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

const usable = (targets: Targets): string[] => texts(targets).filter((text) => text.length > 7);

test('neither log nor metrics hold a secret, an id or anything else of a request, after every operation', async () => {
  const sandbox = await openLogging();
  const platform = await openPlatform(sandbox);
  const targets = await openTargets(platform);
  const answers: unknown[] = [];
  for (const operation of operations) {
    const path = `${pathOf(operation, targets)}`;
    const bodies = requestExamples(operation);
    for (const body of bodies.length === 0 ? [undefined] : bodies) {
      const headers = { 'service-wallet-signature': 'signature-of-mine', 'idempotency-key': 'key-of-mine' };
      answers.push((await call(platform, operation, targets, path, { headers, body })).body);
    }
  }
  must(await sandbox.send('GET', `/customers?platformCustomerId=${targets.accountId}`));
  must(await sandbox.send('GET', `/nothing/${targets.deviceCode}`), 404);
  const response = await sandbox.fetch(new Request(`${origin}/__sandbox/metrics`));
  const written = JSON.stringify([sandbox.requests, sandbox.faults]) + (await response.text());
  expect(sandbox.requests.length).toBeGreaterThan(operations.length);
  const ids = [...JSON.stringify(answers).matchAll(/"([A-Z]\w+:[0-9a-f-]{36})"/g)].map(([, id = '']) => id);
  const credentials = [
    platform.clientSecret,
    basic(platform.clientId, platform.clientSecret),
    targets.agent.accessToken,
  ];
  const secrets = [...usable(targets), ...ids, ...credentials, 'signature-of-mine', 'key-of-mine'];
  expect(secrets.length).toBeGreaterThan(50);
  const found = secrets.filter((secret) => written.includes(secret) && secret !== platform.platformId);
  expect(found).toEqual([]);
});

const folder = new URL('../../mocks/', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

/** Comparisons of values whose names sound secret, except with undefined or with a public value. */
const comparison =
  /\b[\w.?]*(?:secret|hash|otp|token|signature|password|digest|tag)\)? ?(?:===|!==)(?! ?(?:undefined|null|magic\.|'))/gi;

test('no secret is compared by ===, which ends at the first difference', () => {
  const found = sources.flatMap(([name, text]) => [...text.matchAll(comparison)].map(([match]) => `${name}: ${match}`));
  // These aren't secret comparisons. Two compare hashes of what the caller has just sent: the body of a pending
  // request, and a snapshot. The others are kinds of a certificate's fields (ASN.1 calls them tags), and the tokens
  // that a world itself defines.
  expect(found).toEqual([
    'sandbox/control/snapshotForm.ts: digest !==',
    'sandbox/proofs/certificates.ts: notBefore.tag ===',
    'sandbox/proofs/certificates.ts: notAfter.tag ===',
    'sandbox/signedRetry/signedRetry.ts: pending.bodyHash ===',
    'sandbox/worlds/examples/page.ts: token) ===',
  ]);
  expect('if (given.secret === kept.secret)'.match(comparison)).toHaveLength(1);
});

test('every kind of secret is compared in constant time, or looked up by its hash', () => {
  const constant = sources.filter(([, text]) => text.includes('equalInConstantTime(')).map(([name]) => name);
  expect(constant).toEqual([
    'sandbox/browser/machine/crypto.ts',
    'sandbox/control/control.ts',
    'sandbox/domains/auth/rules.ts',
    'sandbox/node/machine/crypto.ts',
    'sandbox/steps/authenticate.ts',
    'sandbox/tools/cursor.ts',
  ]);
});
