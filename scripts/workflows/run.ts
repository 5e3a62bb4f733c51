/** Runs the workflows against a server with `redocly respect`, in one process, and reads its report. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workflowsFolder } from '../lib/arazzo.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { projectRoot } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';
import { withoutReplySchemas } from './replies.ts';

const bundle = 'generated/openapi.json';
const controlBundle = 'generated/control.json';

/** The server to run the workflows against. */
export interface Target {
  /** The base address, with the version. */
  readonly server: string;
  /** The control surface of a sandbox; undefined if the server has none. */
  readonly control?: string;
  /** Credentials with all permissions. By default those of a new sandbox. */
  readonly clientId?: string;
  readonly clientSecret?: string;
}

export interface RunOptions {
  /** Workflows to skip. */
  readonly skip?: readonly string[];
  /**
   * Whether every reply is compared with its schema; true by default. That takes four times as long, because respect
   * compiles the schemas again for each file. Our sandbox validates its own replies, so it doesn't need this.
   */
  readonly checkReplies?: boolean;
  /** The project whose `openapi/workflows/` and `generated/openapi.json` are read. */
  readonly root?: string;
}

/** The result of one workflow. */
export interface WorkflowResult {
  readonly file: string;
  readonly workflowId: string;
  /** How many requests it sent, including those of workflows that it calls. */
  readonly requests: number;
  /** The first failed step; undefined if all passed. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly stepId: string;
  /** A description of each failed check. */
  readonly checks: readonly string[];
  /** The request and the response, as text. */
  readonly exchange: string;
}

/** A step of respect's JSON report, or a workflow that a step called. */
interface ReportedStep {
  readonly stepId?: string;
  readonly request?: { readonly method?: string; readonly url?: string };
  readonly response?: { readonly statusCode?: number; readonly body?: unknown };
  readonly checks?: readonly { readonly name: string; readonly passed: boolean; readonly message?: string }[];
  readonly executedSteps?: readonly ReportedStep[];
}

interface Report {
  readonly files: Readonly<
    Record<string, { readonly executedWorkflows: readonly (ReportedStep & { readonly workflowId: string })[] }>
  >;
}

/**
 * Runs workflow files in the given order.
 *
 * @param target the server
 * @param names the files, by name
 * @returns one outcome per workflow that was run
 * @throws Error with respect's message if a file isn't a valid Arazzo document, so that nothing was run.
 */
export async function runWorkflows(
  target: Target,
  names: readonly string[],
  { skip = [], checkReplies = true, root = projectRoot }: RunOptions = {},
): Promise<WorkflowResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-workflows-'));
  try {
    const reportFile = join(folder, 'report.json');
    const { code, output } = await runTool(
      ['@redocly/cli', 'redocly'],
      [
        'respect',
        ...names.map((name) => `${workflowsFolder}/${name}.arazzo.yaml`),
        ...['--json-output', reportFile],
        ...servers(target).flatMap((server) => ['--server', server]),
        ...inputs(target).flatMap((input) => ['--input', input]),
        ...skip.flatMap((workflowId) => ['--skip', workflowId]),
      ],
      checkReplies ? root : await copyWithoutReplySchemas(root, folder),
    );
    const text = await readFile(reportFile, 'utf8').catch(() => undefined);
    if (text === undefined) throw new Error(`The workflows were not run (exit code ${code}).\n${output.trim()}`);
    const outcomes = outcomesOf(JSON.parse(text) as Report);
    // If respect fails but its report shows no failure, throw, so that no failure gets lost.
    if (code !== 0 && outcomes.every(({ failure }) => failure === undefined)) throw new Error(output.trim());
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the files that respect reads into another folder, without the schemas of replies. Returns the folder. */
async function copyWithoutReplySchemas(root: string, folder: string): Promise<string> {
  await cp(join(root, workflowsFolder), join(folder, workflowsFolder), { recursive: true });
  await mkdir(dirname(join(folder, bundle)));
  for (const path of [bundle, controlBundle]) {
    const contract = JSON.parse(await readFile(join(root, path), 'utf8')) as ContractDocument;
    await writeFile(join(folder, path), JSON.stringify(withoutReplySchemas(contract)));
  }
  return folder;
}

function servers({ server, control }: Target): string[] {
  return [`countersign=${server}`, ...(control === undefined ? [] : [`control=${control}`])];
}

function inputs({ clientId, clientSecret }: Target): string[] {
  const given = Object.entries({ clientId, clientSecret }).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => JSON.stringify({ [name]: value }));
}

function outcomesOf(report: Report): WorkflowResult[] {
  return Object.entries(report.files).flatMap(([path, { executedWorkflows }]) =>
    executedWorkflows.map((workflow): WorkflowResult => {
      const steps = flatten(workflow);
      const failed = steps.find(({ checks }) => checks?.some(({ passed }) => !passed));
      return {
        file: path.replace(/^.*[\\/]/, '').replace(/\.arazzo\.yaml$/, ''),
        workflowId: workflow.workflowId,
        requests: steps.length,
        ...(failed === undefined ? {} : { failure: failureOf(failed) }),
      };
    }),
  );
}

function flatten({ executedSteps = [] }: ReportedStep): ReportedStep[] {
  return executedSteps.flatMap((step) => (step.executedSteps === undefined ? [step] : flatten(step)));
}

function failureOf({ stepId, request, response, checks = [] }: ReportedStep): Failure {
  const { method = '', url = '' } = request ?? {};
  const answer = !response?.statusCode ? 'no answer' : `${response.statusCode} ${JSON.stringify(response.body)}`;
  return {
    stepId: stepId ?? 'unknown',
    checks: checks.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message ?? ''}`.trim()),
    exchange: `${method.toUpperCase()} ${url} → ${answer}`,
  };
}
