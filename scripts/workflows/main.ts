/**
 * `npm run workflows`: runs every workflow of `openapi/workflows/`, against a sandbox that it starts or, with
 * `--server URL`, against whatever answers there: `--credentials id:secret` names an API token with all permissions,
 * and workflows that move the clock are left out where there is no control surface. Names of files run only those.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { operationsUsed, readWorkflows, type WorkflowFile, workflowsWithClock } from '../lib/arazzo.ts';
import { type ContractDocument, httpMethods, type Operation } from '../lib/contract.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runWorkflows, type Target, type WorkflowResult } from './run.ts';
import { startSandbox } from './sandbox.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { server: { type: 'string' }, credentials: { type: 'string' } },
});

/** The target that the flags name, with its control surface if it has one. */
async function givenTarget(server: string): Promise<Target> {
  const [, clientId, clientSecret] = /^([^:]*):(.*)$/.exec(values.credentials ?? 'sandbox:sandbox') ?? [];
  if (clientId === undefined || clientSecret === undefined) throw new Error('--credentials is id:secret');
  const base = server.replace(/\/+$/, '');
  const control = `${new URL(base).origin}/__sandbox`;
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const clock = await fetch(`${control}/clock`, { headers: { authorization } }).catch(() => undefined);
  return { server: base, clientId, clientSecret, ...(clock?.status === 200 ? { control } : {}) };
}

/** Tells each outcome on a line, a failed one with its step. Returns how many failed. */
function tell(outcomes: readonly WorkflowResult[]): number {
  const width = Math.max(...outcomes.map(({ file }) => file.length));
  for (const { file, workflowId, requests, failure } of outcomes) {
    const verdict = failure === undefined ? 'ok    ' : 'failed';
    console.log(`${file.padEnd(width)}  ${verdict}  ${workflowId} (${requests} requests)`);
    if (failure === undefined) continue;
    console.log(`    step ${failure.stepId}: ${failure.exchange}`);
    for (const check of failure.checks) console.log(`    ${check.replaceAll('\n', '\n    ')}`);
  }
  return outcomes.filter(({ failure }) => failure !== undefined).length;
}

/** Tells, for each domain, how many of its operations the workflows call, and which they do not. */
async function tellOperations(files: readonly WorkflowFile[]): Promise<void> {
  const contract = JSON.parse(await readFile(join(projectRoot, 'generated/openapi.json'), 'utf8')) as ContractDocument;
  const operations = Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
  const used = new Set(operationsUsed(files));
  for (const domain of new Set(operations.flatMap(({ tags }) => tags ?? []))) {
    const ids = operations.filter(({ tags }) => tags?.includes(domain)).map(({ operationId }) => operationId);
    const missing = ids.filter((id) => !used.has(id));
    const without = missing.length === 0 ? '' : `, without ${missing.join(' ')}`;
    console.log(`  ${domain}: ${ids.length - missing.length} of ${ids.length} operations${without}`);
  }
}

async function main(): Promise<number> {
  const startedAt = performance.now();
  const files = readWorkflows().filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const unknown = positionals.filter((name) => !files.some((file) => file.name === name));
  if (unknown.length > 0) throw new Error(`There is no workflow file ${unknown.join(', ')}`);
  const sandbox = values.server === undefined ? await startSandbox() : undefined;
  try {
    const target =
      sandbox === undefined
        ? await givenTarget(values.server ?? '')
        : { server: sandbox.base, control: `${new URL(sandbox.base).origin}/__sandbox` };
    const skipped = target.control === undefined ? workflowsWithClock(files) : [];
    const names = files.map(({ name }) => name);
    const outcomes = await runWorkflows(target, names, { skip: skipped, checkReplies: sandbox === undefined });
    const failed = tell(outcomes);
    for (const workflowId of skipped) console.log(`left out: ${workflowId}, which moves a sandbox's clock`);
    if (positionals.length === 0) await tellOperations(files);
    console.log(`${outcomes.length - failed} passed, ${failed} failed (${secondsSince(startedAt)})`);
    return failed === 0 && outcomes.length > 0 ? 0 : 1;
  } finally {
    await sandbox?.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
