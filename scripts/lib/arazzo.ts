/** Reads the workflows of the contract, and describes the part of an Arazzo 1.0 document that the scripts use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from './project.ts';

/** A file of `openapi/workflows/`, with the workflows of one flow. */
export interface WorkflowFile {
  /** The file's name without `.arazzo.yaml`. */
  readonly name: string;
  readonly document: ArazzoDocument;
}

export interface ArazzoDocument {
  readonly arazzo: string;
  readonly info: { readonly title: string; readonly summary?: string; readonly description?: string };
  readonly sourceDescriptions: readonly { readonly name: string; readonly type?: string; readonly url: string }[];
  readonly workflows: readonly Workflow[];
}

export interface Workflow {
  readonly workflowId: string;
  readonly summary?: string;
  readonly inputs?: unknown;
  readonly steps: readonly Step[];
  readonly outputs?: Readonly<Record<string, string>>;
}

/** A call of an operation, or of another workflow in the file. */
export interface Step {
  readonly stepId: string;
  readonly description?: string;
  /** `$sourceDescriptions.<source>.<operationId>` */
  readonly operationId?: string;
  readonly workflowId?: string;
  readonly parameters?: readonly StepParameter[];
  readonly requestBody?: { readonly payload?: unknown };
  readonly successCriteria?: readonly Criterion[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly 'x-security'?: readonly { readonly schemeName: string }[];
}

export interface StepParameter {
  readonly name: string;
  readonly in?: 'path' | 'query' | 'header';
  readonly value: unknown;
}

export interface Criterion {
  readonly condition: string;
  readonly type?: string;
}

/** The folder of the workflows, from the project's folder. */
export const workflowsFolder = 'openapi/workflows';

const suffix = '.arazzo.yaml';

/** Reads every workflow file of a project, by name. */
export function readWorkflows(root: string = projectRoot): WorkflowFile[] {
  const folder = join(root, workflowsFolder);
  const files = readdirSync(folder).filter((file) => file.endsWith(suffix));
  return files.sort().map((file) => ({
    name: file.slice(0, -suffix.length),
    document: parse(readFileSync(join(folder, file), 'utf8')) as ArazzoDocument,
  }));
}

/** The source and the operationId that a step names, or undefined if it calls a workflow. */
export function operationOf(step: Step): { readonly source: string; readonly operationId: string } | undefined {
  const [, source, operationId] = /^\$sourceDescriptions\.([^.]+)\.([^.]+)$/.exec(step.operationId ?? '') ?? [];
  return source === undefined || operationId === undefined ? undefined : { source, operationId };
}

/** The operations of the contract that the workflows call, each once, sorted. */
export function operationsUsed(files: readonly WorkflowFile[]): string[] {
  const steps = files.flatMap(({ document }) => document.workflows.flatMap((workflow) => workflow.steps));
  const called = steps.map(operationOf).filter((operation) => operation?.source === 'countersign');
  return [...new Set(called.map((operation) => operation?.operationId ?? ''))].sort();
}

/** The workflows that move the clock. They need a sandbox. */
export function workflowsWithClock(files: readonly WorkflowFile[]): string[] {
  return files
    .flatMap(({ document }) => document.workflows)
    .filter(({ steps }) => steps.some((step) => operationOf(step)?.source === 'control'))
    .map(({ workflowId }) => workflowId);
}
