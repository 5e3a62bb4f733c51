/**
 * `npm run workflows`: runs every workflow of `openapi/workflows/` against a sandbox that it starts. With `--server
 * URL` it runs them against that server. Then `--credentials id:secret` is an API token with all permissions. Workflows
 * that move the clock are skipped if the server has no control surface. To run only some files, pass their names.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding, WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { version } from '../../generated/operations.ts';
import { operationsUsed, readWorkflows, type WorkflowFile, workflowsWithClock } from '../lib/arazzo.ts';
import { type ContractDocument, httpMethods, type Operation } from '../lib/contract.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runWorkflows, type Target, type WorkflowResult } from './run.ts';
import { startSandbox } from './sandbox.ts';

type Say = (line: string) => void;

/** The target that the flags name, with its control surface if it has one. */
async function givenTarget(server: string, credentials: string): Promise<Target> {
  const [, clientId, clientSecret] = /^([^:]*):(.*)$/.exec(credentials) ?? [];
  if (clientId === undefined || clientSecret === undefined) throw new WrongUse('--credentials takes id:secret.');
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new WrongUse(`--server takes an address such as http://localhost:4010/${version}, not "${server}".`);
  }
  const base = server.replace(/\/+$/, '');
  const control = `${new URL(base).origin}/__sandbox`;
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const clock = await fetch(`${control}/clock`, { headers: { authorization } }).catch(() => undefined);
  return { server: base, clientId, clientSecret, ...(clock?.status === 200 ? { control } : {}) };
}

/** Prints each outcome on a line; for a failed workflow also the step. Returns how many failed. */
function tell(outcomes: readonly WorkflowResult[], say: Say): number {
  const width = Math.max(...outcomes.map(({ file }) => file.length));
  for (const { file, workflowId, requests, failure } of outcomes) {
    const verdict = failure === undefined ? 'ok    ' : 'failed';
    say(`${file.padEnd(width)}  ${verdict}  ${workflowId} (${requests} requests)`);
    if (failure === undefined) continue;
    say(`    step ${failure.stepId}: ${failure.exchange}`);
    for (const check of failure.checks) say(`    ${check.replaceAll('\n', '\n    ')}`);
  }
  return outcomes.filter(({ failure }) => failure !== undefined).length;
}

/** Prints, for each domain, how many of its operations the workflows call, and which they don't call. */
async function tellOperations(files: readonly WorkflowFile[], say: Say): Promise<void> {
  const contract = JSON.parse(await readFile(join(projectRoot, 'generated/openapi.json'), 'utf8')) as ContractDocument;
  const operations = Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
  const used = new Set(operationsUsed(files));
  for (const domain of new Set(operations.flatMap(({ tags }) => tags ?? []))) {
    const ids = operations.filter(({ tags }) => tags?.includes(domain)).map(({ operationId }) => operationId);
    const missing = ids.filter((id) => !used.has(id));
    const without = missing.length === 0 ? '' : `, without ${missing.join(' ')}`;
    say(`  ${domain}: ${ids.length - missing.length} of ${ids.length} operations${without}`);
  }
}

interface Options {
  readonly server: string | undefined;
  readonly credentials: string;
  /** Names of workflow files; empty means all. */
  readonly names: readonly string[];
}

/** Runs the workflows and prints the results. @returns whether all passed */
async function runAll({ server, credentials, names: wanted }: Options, say: Say): Promise<boolean> {
  const startedAt = performance.now();
  const all = readWorkflows();
  const unknown = wanted.filter((name) => !all.some((file) => file.name === name));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => name).join(', ');
    throw new WrongUse(`There is no workflow file ${unknown.join(', ')}. There are ${known}.`);
  }
  const files = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const given = server === undefined ? undefined : await givenTarget(server, credentials);
  const sandbox = given === undefined ? await startSandbox() : undefined;
  try {
    const target = given ?? toTarget(sandbox?.base ?? '');
    const skipped = target.control === undefined ? workflowsWithClock(files) : [];
    const names = files.map(({ name }) => name);
    const outcomes = await runWorkflows(target, names, { skip: skipped, checkReplies: sandbox === undefined });
    const failed = tell(outcomes, say);
    for (const workflowId of skipped) say(`skipped: ${workflowId}, because it moves a sandbox's clock`);
    if (wanted.length === 0) await tellOperations(files, say);
    say(`${outcomes.length - failed} passed, ${failed} failed (${secondsSince(startedAt)})`);
    return failed === 0 && outcomes.length > 0;
  } finally {
    await sandbox?.stop();
  }
}

function toTarget(base: string): Target {
  return { server: base, control: `${new URL(base).origin}/__sandbox` };
}

export const command = defineCommand({
  name: 'workflows',
  call: 'npm run workflows',
  script: 'workflows',
  does: 'run the workflows against a sandbox or another server',
  about: `
Runs every workflow of openapi/workflows/ step by step, against a sandbox that it starts or against --server. If that
server has no control surface, workflows that move the clock are skipped.`,
  words: [{ name: 'NAME', does: 'run only this file of openapi/workflows/', isRepeated: true }],
  flags: {
    server: { type: 'string', value: 'URL', does: 'the base address of another server, with the version' },
    credentials: {
      type: 'string',
      value: 'ID:SECRET',
      default: 'sandbox:sandbox',
      does: 'an API token of that server with all permissions (default sandbox:sandbox)',
    },
  },
  examples: [
    ['', 'all of them, against a new sandbox'],
    [`--server http://localhost:4010/${version}`, 'against a running server'],
  ],
  async run({ flags, words, output }) {
    const passed = await runAll({ ...flags, names: words }, (line) => output.stdout(`${line}\n`)).catch((error) => {
      throw asFinding(error);
    });
    return passed ? 0 : 1;
  },
});

if (import.meta.main) await runScript(command);
