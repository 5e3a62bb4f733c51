/**
 * Promise: the journal never shows a secret. A secret that was issued or sent, to any operation, is masked. The mask
 * fits the contract, so that a recording passes `countersign check`.
 */
import { readFileSync } from 'node:fs';
import type { Har } from 'har-format';
import { describe, expect, test } from 'vitest';
import { toExchange } from '../../conformance/entry.ts';
import { judge } from '../../conformance/judge.ts';
import { loadContract } from '../../contract/file.ts';
import { type Operation, operations } from '../../generated/operations.ts';
import type { Handlers } from '../../mocks/sandbox/domains/operation.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { exampleRequests } from '../../scripts/record/mock.ts';
import { type Kind, openSignedIn, proverOn, registerBy, signBy } from '../support/proofs/prover.ts';
import { sample } from '../support/run/length.ts';
import { basic, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { clientKeys } from '../support/scenes/builders.ts';

const contract = loadContract();
const bundle = new URL('../../generated/openapi.json', import.meta.url);
const document = JSON.parse(readFileSync(bundle, 'utf8')) as ContractDocument;

/** Fields with a secret, listed here again so that the test notices one that is missing in the register. */
const secretFields =
  /^(clientSecret|accessToken|otp|oidcToken|encryptedSessionSigningKey|encryptedWalletCredentials|clientDataJson|attestationObject|authenticatorData|signature|userHandle)$/;

/** Every secret in a body, and everything in the form of a device code. */
function secretsIn(body: unknown): string[] {
  const found: string[] = [];
  const text = JSON.stringify(body, (key, value) => {
    if (secretFields.test(key) && typeof value === 'string') found.push(value);
    return value;
  });
  return [...found, ...(text?.match(/AGENT-[0-9A-Z]{4}-[0-9A-Z]{4}/g) ?? [])];
}

async function readJournal(sandbox: TestSandbox) {
  const { body } = await sandbox.control('GET', '/journal?format=har');
  const { body: list } = await sandbox.control('GET', '/journal');
  return { har: body as Har, text: JSON.stringify(body) + JSON.stringify(list) };
}

function breaches({ log }: Har): string[] {
  return log.entries.flatMap((entry) => {
    const verdict = judge(contract, toExchange(entry));
    if (verdict.kind === 'skipped') return [`${entry.request.url} skipped: ${verdict.reason}`];
    return verdict.breaches.map((breach) => JSON.stringify([verdict.operationId, entry.response.status, breach]));
  });
}

/**
 * A short secret, such as a one-time code, may occur in any text by chance. So it is searched as the value of its
 * field.
 */
function expectNone(text: string, secrets: Iterable<string>): void {
  for (const secret of new Set(secrets)) {
    if (secret.length >= 8) expect(text).not.toContain(secret);
    else expect(text).not.toMatch(new RegExp(`"(otp|\\w+)\\\\*":\\\\*"${secret}\\\\*"`));
  }
}

test.each(sample(operations, 20).map((operation) => [operation.id, operation] as const))(
  '%s: every documented reply, and every request that is an example',
  async (_id, operation: Operation) => {
    const sandbox = await openSandbox();
    const { agent } = await openAgentStage(sandbox);
    const created = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
    const deviceCode: string = created.body.code;
    const caller = { basic: basic('sandbox', 'sandbox'), bearer: `Bearer ${agent.accessToken}`, deviceCode };
    const secrets = [agent.accessToken, deviceCode, btoa('sandbox:sandbox')];
    for (const request of exampleRequests(document, operation, caller)) {
      const sent = await request.clone().text();
      secrets.push(...secretsIn(sent === '' ? undefined : JSON.parse(sent)));
      const got = await (await sandbox.fetch(request)).text();
      secrets.push(...secretsIn(got === '' ? undefined : JSON.parse(got)));
    }
    const { har, text } = await readJournal(sandbox);
    expectNone(text, secrets);
    expect(breaches(har)).toEqual([]);
    const { pathname } = new URL(har.log.entries.at(-1)?.request.url ?? '');
    expect(pathname.split('/')).toHaveLength(operation.path.split('/').length + 1);
  },
);

describe.each<Kind>(['magic', 'real'])('what is really issued and sent, in %s proofs', (kind) => {
  test('sign-in of every type, signed retries, export, tokens, agents', async () => {
    const secrets: string[] = [];
    const sandbox = await openSandbox({ proofs: kind, handlers: overheard(secrets) });
    const prover = proverOn(sandbox, kind);
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    for (const type of ['PASSKEY', 'OAUTH'] as const) {
      const credential = await registerBy(prover, type, accountId, { by: signedIn });
      const proof = await prover.prove(credential);
      expect((await sandbox.send('POST', `/auth/credentials/${credential.id}/verify`, proof)).status).toBe(200);
    }
    const body = { clientPublicKey: clientKeys().publicKeyHex };
    expect((await signBy(prover, signedIn, 'POST', `/internal-accounts/${accountId}/export`, body)).status).toBe(200);
    const token = await sandbox.send('POST', '/tokens', { body: { name: 'Second', permissions: ['VIEW', 'MANAGE'] } });
    expect(token.status).toBe(201);
    const authorization = basic(token.body.clientId, token.body.clientSecret);
    must(await sandbox.send('GET', '/customers', { authorization }));
    const { agent } = await openAgentStage(sandbox);
    must(await agent.send('GET', ''));
    secrets.push(authorization, authorization.slice(6), agent.accessToken);

    const { har, text } = await readJournal(sandbox);
    const issued = ['clientSecret', 'accessToken', 'encryptedWalletCredentials', 'oidcToken', 'attestationObject'];
    for (const name of issued) expect(text).toContain(name);
    expect(secrets.length).toBeGreaterThan(15);
    expectNone(text, secrets);
    expect(breaches(har)).toEqual([]);
  });
});

test.each([
  ['a field given twice', '{"type":"EMAIL_OTP","otp":"top secret words","otp":"1"}'],
  ["what isn't JSON", '{"otp":"top secret words"'],
  ["what isn't text", Buffer.concat([Buffer.from('{"otp":"top secret words"'), Buffer.from([0xff])])],
  ['where a string should be', '{"otp":{"deep":["top secret words"]}}'],
  ['a number that JavaScript does not have', '{"otp":12345678901234567890123,"n":0.12345678901234567890123}'],
])('a refused request hides it too: %s', async (_name, text) => {
  const sandbox = await openSandbox();
  const path = '/auth/credentials/AuthMethod:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13/verify';
  const answer = await sandbox.send('POST', path, { text: typeof text === 'string' ? text : new Uint8Array(text) });
  expect(answer.status).toBe(400);
  const journal = await readJournal(sandbox);
  expect(journal.text).not.toMatch(/top secret words|12345678901234567890123,/);
  expect(breaches(journal.har)).toEqual([]);
  if (String(text).includes('"n"')) expect(journal.text).toContain('0.12345678901234567890123');
});

/** The sandbox's handlers, wrapped so that they note the secrets that they get and return. */
function overheard(secrets: string[]): Handlers {
  const listening = Object.entries(handlers).map(([id, handler]) => {
    const handle = async (call: { body: unknown; headers: Record<string, unknown> }, ...rest: unknown[]) => {
      const outcome = await (handler.handle as (...args: unknown[]) => Promise<{ body?: unknown }>)(call, ...rest);
      const signature = call.headers['Service-Wallet-Signature'];
      if (typeof signature === 'string') secrets.push(signature);
      secrets.push(...secretsIn(call.body));
      if (typeof outcome.body !== 'function') secrets.push(...secretsIn(outcome.body));
      return outcome;
    };
    return [id, { ...handler, handle }];
  });
  return Object.fromEntries(listening) as Handlers;
}
