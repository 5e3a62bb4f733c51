/**
 * Promise: every workflow of `openapi/workflows/` runs unchanged against the sandbox, repeatedly, with an API token of
 * any platform. A wrong workflow fails, and the failure names the step.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsUsed, readWorkflows, workflowsWithClock } from '../../scripts/lib/arazzo.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runWorkflows, type WorkflowResult } from '../../scripts/workflows/run.ts';
import { startSandbox } from '../support/process/process.ts';
import { byLength, isLongRun, sample } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const files = readWorkflows();
const names = files.map(({ name }) => name);
const contract = readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8');

const failuresOf = (outcomes: readonly WorkflowResult[]) => outcomes.filter(({ failure }) => failure !== undefined);

// Every run of respect loads all workflows, so one run covers as much as possible.
let base: string;
let end = (): void => {};
beforeAll(async () => {
  ({ base } = await startSandbox(['--data', ':memory:', '--seed', '1'], (kill) => (end = kill)));
});
afterAll(() => end());

/** A copy of the project with the contract and the workflows, to change. */
function copyOfProject(): string {
  const root = temporaryFolder();
  cpSync(join(projectRoot, 'openapi/workflows'), join(root, 'openapi/workflows'), { recursive: true });
  mkdirSync(join(root, 'generated'));
  writeFileSync(join(root, 'generated/openapi.json'), contract);
  cpSync(join(projectRoot, 'generated/control.json'), join(root, 'generated/control.json'));
  return root;
}
const flowFile = (name: string): string => `openapi/workflows/${name}.arazzo.yaml`;

test('workflows run, and run again on the same sandbox: in the long run all', async () => {
  const root = copyOfProject();
  const again = ['email-change', 'passkey-sign-in'];
  for (const name of again) copyFileSync(join(root, flowFile(name)), join(root, flowFile(`${name}-again`)));
  const control = `${new URL(base).origin}/__sandbox`;
  const first = [...new Set([...sample(names, 2), ...again])];
  const order = [...first, ...again.map((name) => `${name}-again`)];
  const outcomes = await runWorkflows({ server: base, control }, order, { checkReplies: false, root });
  expect(failuresOf(outcomes)).toEqual([]);
  const workflowsOf = new Map(files.map(({ name, document }) => [name, document.workflows]));
  const all = order.flatMap((name) =>
    (workflowsOf.get(name.replace('-again', '')) ?? []).map(({ workflowId }) => [name, workflowId]),
  );
  expect(outcomes.map(({ file, workflowId }) => [file, workflowId])).toEqual(all);
});

test.each(byLength([], ['they run on an empty platform of their own, and where nothing moves the clock']))(
  '%s',
  async () => {
    const made = await fetch(`${new URL(base).origin}/__sandbox/platforms`, { method: 'POST' });
    const { clientId, clientSecret } = (await made.json()) as { clientId: string; clientSecret: string };
    const skip = workflowsWithClock(files);
    const outcomes = await runWorkflows({ server: base, clientId, clientSecret }, ['api-token', 'session-refresh'], {
      skip,
      checkReplies: isLongRun,
    });
    expect(outcomes.map(({ workflowId, failure }) => [workflowId, failure])).toEqual([
      ['apiToken', undefined],
      ['sessionRefresh', undefined],
    ]);
    expect(skip).toEqual(['quoteExpires', 'quoteTakesItsTime', 'quoteComesBack', 'sessionExpires', 'transferTimesOut']);
  },
);

describe.each(byLength([], ['a workflow that is wrong']))('%s', () => {
  /** Replaces a text in a file, and writes the result to `to`. */
  function replaceIn(root: string, file: string, before: string, after: string, to = file): void {
    const text = readFileSync(join(root, file), 'utf8');
    expect(text).toContain(before);
    writeFileSync(join(root, to), text.replace(before, after));
  }

  const flow = flowFile('api-token');
  const nowhere = 'http://127.0.0.1:1/2025-10-13';

  test('fails with its step, whether the answer, its status or its form is another', async () => {
    const root = copyOfProject();
    const failuresIn = async (files: string[], checkReplies: boolean) =>
      (await runWorkflows({ server: base }, files, { root, checkReplies })).map(({ failure }) => failure);

    replaceIn(root, flow, "== 'FORBIDDEN'", "== 'AGENT_PAUSED'", flowFile('other-code'));
    const asText =
      'parameters:\n          - { name: Content-Type, in: header, value: text/plain }\n        requestBody:';
    replaceIn(root, flow, 'requestBody:', asText, flowFile('undeclared'));
    const [otherCode, undeclared] = await failuresIn(['other-code', 'undeclared'], false);
    expect(otherCode).toMatchObject({ stepId: 'write', checks: [expect.stringContaining('AGENT_PAUSED')] });
    expect(otherCode?.exchange).toMatch(/^POST http\S+\/customers → 403 \{.*"FORBIDDEN"/);
    expect(undeclared?.stepId).toBe('createToken');
    expect(undeclared?.checks).toContainEqual(expect.stringContaining('status code check'));

    replaceIn(root, 'generated/openapi.json', '"clientSecret"\n', '"clientSecret", "more"\n');
    const [misshapen] = await failuresIn(['api-token'], true);
    expect(misshapen).toMatchObject({ stepId: 'createToken', checks: [expect.stringContaining('schema check')] });
    if (isLongRun) expect(await failuresIn(['api-token'], false)).toEqual([undefined]);
  });

  test.each(byLength([], ['fails when nobody answers']))('%s', async () => {
    const [alone] = await runWorkflows({ server: nowhere }, ['api-token'], { checkReplies: false });
    expect(alone?.failure?.exchange).toMatch(/→ no answer$/);
    expect(alone?.failure).toMatchObject({ stepId: 'createToken', checks: [expect.stringContaining('fetch failed')] });
  });

  test.each(byLength([], ["is not run at all when it isn't a sound Arazzo document"]))('%s', async () => {
    const root = copyOfProject();
    replaceIn(root, flow, 'steps:', 'stages:');
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
