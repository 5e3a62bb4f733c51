/**
 * Promise: every workflow of `openapi/workflows/` runs as it stands against the sandbox, again and again, with an API
 * token of any platform; one that is wrong fails, with the step that is.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationsUsed, readWorkflows, workflowsWithClock } from '../../scripts/lib/arazzo.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type Outcome, runWorkflows } from '../../scripts/workflows/run.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startSandbox } from '../support/process.ts';

const files = readWorkflows();
const names = files.map(({ name }) => name);
const contract = readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8');

const failuresOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ failure }) => failure !== undefined);

test('all workflows run, and run again on the same sandbox', async () => {
  const { base } = await startSandbox(['--data', ':memory:', '--seed', '1']);
  const control = `${new URL(base).origin}/__sandbox`;
  const outcomes = await runWorkflows({ server: base, control }, names, { checkReplies: false });
  expect(failuresOf(outcomes)).toEqual([]);
  const all = files.flatMap(({ name, document }) => document.workflows.map(({ workflowId }) => [name, workflowId]));
  expect(outcomes.map(({ file, workflowId }) => [file, workflowId])).toEqual(all);

  const again = await runWorkflows({ server: base, control }, ['email-change', 'passkey-sign-in'], {
    checkReplies: false,
  });
  expect(failuresOf(again)).toEqual([]);
});

test('they run on an empty platform of their own, and where nothing moves the clock', async () => {
  const { base } = await startSandbox(['--data', ':memory:', '--seed', '1']);
  const made = await fetch(`${new URL(base).origin}/__sandbox/platforms`, { method: 'POST' });
  const { clientId, clientSecret } = (await made.json()) as { clientId: string; clientSecret: string };
  const skip = workflowsWithClock(files);
  const outcomes = await runWorkflows({ server: base, clientId, clientSecret }, ['api-token', 'session-refresh'], {
    skip,
  });
  expect(outcomes.map(({ workflowId, failure }) => [workflowId, failure])).toEqual([
    ['apiToken', undefined],
    ['sessionRefresh', undefined],
  ]);
  expect(skip).toEqual(['quoteExpires', 'quoteTakesItsTime', 'quoteComesBack', 'sessionExpires', 'transferTimesOut']);
});

describe('a workflow that is wrong', () => {
  /** A project with the contract and the workflows, of which one text was replaced. */
  function plant(file: string, before: string, after: string): string {
    const root = temporaryFolder();
    cpSync(join(projectRoot, 'openapi/workflows'), join(root, 'openapi/workflows'), { recursive: true });
    mkdirSync(join(root, 'generated'));
    writeFileSync(join(root, 'generated/openapi.json'), contract);
    const text = readFileSync(join(root, file), 'utf8');
    expect(text).toContain(before);
    writeFileSync(join(root, file), text.replace(before, after));
    return root;
  }

  const flow = 'openapi/workflows/api-token.arazzo.yaml';
  const nowhere = 'http://127.0.0.1:1/2025-10-13';

  test('fails with its step, whether the answer, its status or its form is another', async () => {
    const { base } = await startSandbox(['--data', ':memory:', '--seed', '1']);
    const firstOf = async (root: string, checkReplies = true) =>
      (await runWorkflows({ server: base }, ['api-token'], { root, checkReplies }))[0]?.failure;

    const otherCode = await firstOf(plant(flow, "== 'FORBIDDEN'", "== 'AGENT_PAUSED'"));
    expect(otherCode).toMatchObject({ stepId: 'write', checks: [expect.stringContaining('AGENT_PAUSED')] });
    expect(otherCode?.exchange).toMatch(/^POST http\S+\/customers → 403 \{.*"FORBIDDEN"/);

    const asText =
      'parameters:\n          - { name: Content-Type, in: header, value: text/plain }\n        requestBody:';
    const undeclared = await firstOf(plant(flow, 'requestBody:', asText));
    expect(undeclared?.stepId).toBe('createToken');
    expect(undeclared?.checks).toContainEqual(expect.stringContaining('status code check'));

    const needsMore = plant('generated/openapi.json', '"clientSecret"\n', '"clientSecret", "more"\n');
    const misshapen = await firstOf(needsMore);
    expect(misshapen).toMatchObject({ stepId: 'createToken', checks: [expect.stringContaining('schema check')] });
    expect(await firstOf(needsMore, false)).toBeUndefined();
  });

  test('fails when nobody answers', async () => {
    const [alone] = await runWorkflows({ server: nowhere }, ['api-token'], { checkReplies: false });
    expect(alone?.failure?.exchange).toMatch(/→ no answer$/);
    expect(alone?.failure).toMatchObject({ stepId: 'createToken', checks: [expect.stringContaining('fetch failed')] });
  });

  test('is not run at all when it is no sound Arazzo document', async () => {
    const root = plant(flow, 'steps:', 'stages:');
    await expect(runWorkflows({ server: nowhere }, ['api-token'], { root })).rejects.toThrow(/not run.*stages/s);
  });
});

test('the workflows of the brief are all there, and touch every domain', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      'first-credential',
      'additional-credential',
      'passkey-sign-in',
      'session-refresh',
      'revocation',
      'email-change',
      'quote-from-account',
      'quote-from-wallet',
      'transfer-suffixes',
      'business-verification',
      'agent',
      'pagination',
    ]),
  );
  const tags = new Map<string, string>();
  for (const item of Object.values<Record<string, { operationId?: string; tags?: string[] }>>(
    JSON.parse(contract).paths,
  )) {
    for (const { operationId, tags: [domain] = [] } of Object.values(item)) {
      if (operationId !== undefined && domain !== undefined) tags.set(operationId, domain);
    }
  }
  expect(new Set(operationsUsed(files).map((id) => tags.get(id)))).toEqual(new Set(tags.values()));
});
