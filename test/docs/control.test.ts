/** Promise: the page of the control surface has the routes of its contract, and the snippet of the how-to does what it says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { controlOperations } from '../../generated/controlOperations.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { readGuide, runShell } from '../support/requests/snippets.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';

const page = readGuide('docs/reference/control-surface.md');
const guide = readGuide('docs/how-to/steer-with-curl.md');

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;

it('has a row for each operation of the contract, with who may call it and its summary', () => {
  const { paths } = JSON.parse(readFileSync(join(projectRoot, 'generated/control.json'), 'utf8')) as { paths: Paths };
  const expected = controlOperations.map(({ id, method, path, caller }) => {
    const { summary } = paths[path]?.[method.toLowerCase()] ?? {};
    return `| \`${method} ${path}\` | \`${id}\` | ${caller} | ${summary} |`;
  });
  expect([...page.text.matchAll(/^\| `[A-Z]+ \/.*$/gm)].map(([row]) => row).sort()).toEqual(expected.sort());
});

it('names routes that are there', async () => {
  for (const { method, path } of controlOperations) {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', '/config'));
    const asked = path.replace('{platformId}', 'sandbox').replace('{exchangeId}', '1');
    const { status } = await sandbox.control(method, asked);
    expect([path, status < 300 || status === 400]).toEqual([path, true]);
  }
});

it('makes a platform with a world, reads its outbox, sets, mints, moves time, plants a fault, puts a snapshot back, resets and ends it', async () => {
  const output = (await runShell(guide.snippets('control'))).trim().split('\n');
  const lines = output.filter((line) => line !== '').map((line) => (line.startsWith('{') ? JSON.parse(line) : line));
  const [credential, outbox, settings, token, clock, faults, refused, putBack, ended] = lines;
  expect(lines).toHaveLength(9);
  expect(credential).toMatchObject({ type: 'EMAIL_OTP', nickname: 'ada@example.com' });
  const message = { to: 'ada@example.com', code: expect.stringMatching(/^\d{6}$/), accountId: credential.accountId };
  expect(outbox.data).toEqual([{ ...message, sentAt: expect.any(String) }]);
  expect(settings).toMatchObject({ proofs: 'real', origins: ['https://app.example'], audiences: ['countersign-app'] });
  expect(token.issuer).toMatch(/^http:\/\/localhost:\d+\/__sandbox\/oidc\/[0-9a-f]{16}$/);
  expect(clock).toEqual({ now: expect.any(String), frozen: false });
  expect(faults).toEqual({ rules: [{ operation: 'listCustomers', status: 503, times: 1 }] });
  expect(refused).toMatchObject({ status: 503, code: 'STORAGE_UNAVAILABLE' });
  expect(putBack).toBe('put back with 204');
  expect(ended).toBe('ended with 204');
});
