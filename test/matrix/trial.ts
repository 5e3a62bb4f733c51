/** Tries a tool: its result for the contract, whether that compiles, and its requests to the sandbox. */

import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type Ended, runProcess } from '../support/process/install.ts';
import type { Command, StepName, Tool } from './tools.ts';

const folder = import.meta.dirname;
// Outside the project, whose own checks would treat the output as our sources.
const out = join(tmpdir(), 'countersign-tools');

/** The result of a step. `detail` is for the table if it passed, and for the reader if it failed. */
export interface StepResult {
  readonly step: StepName;
  readonly isGood: boolean;
  readonly detail: string;
  readonly seconds: number;
}

export interface Trial {
  readonly tool: Tool;
  readonly version: string;
  readonly steps: readonly StepResult[];
}

/** The tool's name as a file name. */
function idOf({ name }: Tool): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The folder of a tool: its input, its output, and the code that uses the output. */
export const workOf = (tool: Tool): string => join(out, idOf(tool));

/** @param base the address of a running sandbox, with the version. */
export async function tryTool(tool: Tool, base: string, progress: (step: StepResult) => void): Promise<Trial> {
  const id = idOf(tool);
  const at = workOf(tool);
  const made = join(at, 'made');
  await rm(at, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  // Some tools read it to find the version of the library that they write for.
  await copyFile(join(folder, 'package.json'), join(at, 'package.json'));
  await symlink(join(folder, 'node_modules'), join(at, 'node_modules'), 'junction');
  for (const [name, text] of Object.entries(tool.files?.(made) ?? {})) await writeFile(join(at, name), text);
  for (const name of tool.extra ?? []) await copyFile(join(folder, 'consumers', name), join(at, name));
  if (tool.kind === 'generator') {
    for (const name of ['said.ts', `${id}.ts`]) await copyFile(join(folder, 'consumers', name), join(at, name));
  }
  const steps: StepResult[] = [];
  for (const [step, run] of stepsOf(tool, { id, at, made, base })) {
    const startedAt = performance.now();
    const { isGood, detail } = await run();
    const result = { step, isGood, detail, seconds: (performance.now() - startedAt) / 1000 };
    steps.push(result);
    progress(result);
    if (!isGood) break;
  }
  return { tool, version: versionOf(tool), steps };
}

type Outcome = Pick<StepResult, 'isGood' | 'detail'>;
interface Place {
  readonly id: string;
  readonly at: string;
  readonly made: string;
  readonly base: string;
}

function stepsOf(tool: Tool, place: Place): [StepName, () => Promise<Outcome>][] {
  const start = () => runCommand(tool.command(place), place.at);
  const plain = (ended: Ended): Outcome => ({
    isGood: ended.code === 0,
    detail: ended.code === 0 ? '' : lastOf(ended.output),
  });
  switch (tool.kind) {
    case 'generator':
      return [
        ['generate', async () => plain(await start())],
        ['compile', () => compile(place)],
        ['requests', () => makeRequests(place)],
      ];
    case 'validator':
      return [
        [
          'validate',
          async () => {
            const ended = await start();
            const said = tool.result?.exec(ended.output)?.[0].trim();
            return { isGood: ended.code === 0 && said !== undefined, detail: said ?? lastOf(ended.output) };
          },
        ],
      ];
    case 'collection':
      return [
        [
          'run',
          async () => {
            const ended = await start();
            const report = join(place.made, 'report.json');
            if (!existsSync(report)) return { isGood: false, detail: lastOf(ended.output) };
            return countRuns(JSON.parse(await readFile(report, 'utf8')));
          },
        ],
      ];
  }
}

function runCommand({ bin, ownBin, script, args, cwd }: Command, at: string): Promise<Ended> {
  const path =
    script ?? (bin === undefined ? binPath(projectRoot, ownBin as NonNullable<typeof ownBin>) : binPath(folder, bin));
  return runProcess(process.execPath, [path, ...args], { cwd: cwd ?? at });
}

function binPath(root: string, [packageName, executable]: readonly [string, string]): string {
  const { bin } = manifest(root, packageName);
  const path = typeof bin === 'string' ? bin : bin?.[executable];
  if (path === undefined) throw new Error(`${packageName} has no executable ${executable}`);
  return join(root, 'node_modules', packageName, path);
}

function manifest(root: string, packageName: string): { version: string; bin?: string | Record<string, string> } {
  return JSON.parse(readFileSync(join(root, 'node_modules', packageName, 'package.json'), 'utf8'));
}

function versionOf({ packageName, isOwn }: Tool): string {
  return manifest(isOwn ? projectRoot : folder, packageName).version;
}

/** Compiles the output and the code that uses it, with the options of a strict project. */
async function compile({ id, at }: Place): Promise<Outcome> {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, resolveJsonModule: true },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
    lib: ['es2023', 'dom', 'dom.iterable'],
  };
  const config = { compilerOptions, include: ['made', `${id}.ts`] };
  await writeFile(join(at, 'tsconfig.json'), JSON.stringify(config, null, 2));
  const ended = await runCommand({ ownBin: ['typescript-native', 'tsc'], args: ['-p', '.'] }, at);
  return { isGood: ended.code === 0, detail: ended.code === 0 ? '' : firstOf(ended.output) };
}

/** Sends a list, a create and a request that gets 400, with the generated code. */
async function makeRequests({ id, at, base }: Place): Promise<Outcome> {
  const bundled = join(at, 'consumer.mjs');
  const flags = ['--bundle', '--platform=node', '--format=esm', '--log-level=error', `--outfile=${bundled}`];
  const banner = '--banner:js=import{createRequire}from"node:module";const require=createRequire(import.meta.url);';
  const esbuild = join(folder, 'node_modules/esbuild/bin/esbuild');
  const packed = await runProcess(process.execPath, [esbuild, `${id}.ts`, ...flags, banner], { cwd: at });
  if (packed.code !== 0) return { isGood: false, detail: firstOf(packed.output) };
  const env = { COUNTERSIGN_BASE: base };
  const ended = await runProcess(process.execPath, [bundled], { cwd: at, env, seconds: 60 });
  if (ended.code !== 0) return { isGood: false, detail: lastOf(ended.output) };
  const said = JSON.parse(ended.output.trim().split('\n').at(-1) ?? '{}');
  const isGood = said.listed > 0 && /^Customer:/.test(said.created) && said.refused === 'INVALID_CURRENCY';
  return { isGood, detail: isGood ? '' : JSON.stringify(said) };
}

interface NewmanReport {
  readonly run: {
    readonly executions: readonly {
      readonly response?: { readonly code: number };
      readonly assertions?: readonly { readonly error?: unknown }[];
    }[];
  };
}
type BrunoReport = readonly {
  readonly results: readonly {
    readonly response: { readonly status: number };
    readonly testResults: readonly { readonly status: string }[];
  }[];
}[];

/** How many requests got a declared status, by the collection's own tests, and how many succeeded. */
function countRuns(report: NewmanReport | BrunoReport): Outcome {
  const runs =
    'run' in report
      ? report.run.executions.map(({ response, assertions = [] }) => ({
          status: response?.code,
          isDeclared: assertions.length > 0 && assertions.every(({ error }) => error === undefined),
        }))
      : report.flatMap(({ results }) =>
          results.map(({ response, testResults }) => ({
            status: response.status,
            isDeclared: testResults.length > 0 && testResults.every(({ status }) => status === 'pass'),
          })),
        );
  const declared = runs.filter(({ isDeclared }) => isDeclared).length;
  const succeeded = runs.filter(({ status = 999 }) => status < 400).length;
  return {
    isGood: runs.length > 0 && declared === runs.length,
    detail: `${declared} of ${runs.length} get a declared status, ${succeeded} succeed`,
  };
}

/** A compiler may print a whole contract as one type. */
const widest = 200;
const linesOf = (output: string): string[] =>
  output
    .split('\n')
    .map((line) => line.trim().slice(0, widest))
    .filter((line) => line !== '');
const firstOf = (output: string): string => linesOf(output).slice(0, 6).join('\n');
const lastOf = (output: string): string => linesOf(output).slice(-8).join('\n');
