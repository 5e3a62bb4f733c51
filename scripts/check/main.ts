/**
 * `npm run check`: everything about the project that can be told without running it. Every step runs, even after one
 * has failed; a failed one shows what its tool wrote and the command that repeats or repairs it.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readChangelog } from '../diff/changelog.ts';
import { compareContracts } from '../diff/compare.ts';
import { generateAll } from '../generate/main.ts';
import { readWorkflows, workflowsFolder } from '../lib/arazzo.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { Contract } from '../lib/contract.ts';
import { projectRoot, secondsSince, withUnixLineEnds } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';
import { readVersions } from '../lib/versions.ts';
import { findTrespasses } from './boundaries.ts';
import { compareDecisions } from './decisions.ts';
import { findFalseExamples } from './examples.ts';
import { findFalseProse } from './prose.ts';
import { findMisleadingRefusals } from './refusals.ts';
import { findSourceFaults } from './sources.ts';
import { readExamples } from './story/read.ts';
import { findContradictions } from './story.ts';
import { findVersionFaults } from './versions.ts';
import { findWorkflowFaults } from './workflows.ts';

/** A check. `run` resolves to undefined when all is well, else to what is wrong, for a reader. */
interface Step {
  readonly name: string;
  /** What repeats the check or repairs what it found. */
  readonly command: string;
  readonly run: () => Promise<string | undefined>;
}

const sources = [
  'cli',
  'client',
  'conformance',
  'contract',
  'generated',
  'mocks',
  'package',
  'scripts',
  'traffic',
].filter((folder) => existsSync(join(projectRoot, folder)));

// The longest first, so that two lanes end at about the same time.
const steps: readonly Step[] = [
  // The native compiler finds the same in a third of the time; openapi-typescript and boundaries.ts need the API of 5.9.
  // What has not changed since the last run is not looked at again: most of the time of a warm check.
  toolStep('types', 'typescript-native', 'tsc', [
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'node_modules/.cache/countersign-types.json',
  ]),
  toolStep('bundle lint', '@stoplight/spectral-cli', 'spectral', [
    'lint',
    'generated/openapi.json',
    '--fail-severity',
    'warn',
  ]),
  toolStep('dead code', 'knip', 'knip', []),
  toolStep('import rules', 'dependency-cruiser', 'depcruise', sources),
  toolStep('contract lint', '@redocly/cli', 'redocly', ['lint', 'openapi/openapi.yaml']),
  toolStep('workflow lint', '@redocly/cli', 'redocly', [
    'lint',
    `${workflowsFolder}/*.arazzo.yaml`,
    `${workflowsFolder}/control.yaml`,
  ]),
  { name: 'generated files', command: 'npm run generate', run: () => generatedFiles(projectRoot, bundled) },
  { name: 'versions', command: 'npm run diff', run: versions },
  { name: 'examples', command: 'npm run check', run: examples },
  { name: 'decisions', command: 'npm run check', run: decisions },
  { name: 'prose', command: 'npm run check', run: prose },
  {
    ...toolStep('style', '@biomejs/biome', 'biome', ['check', '.', '--diagnostic-level=warn', '--error-on-warnings']),
    command: 'npx biome check --write .',
  },
  { name: 'sources', command: 'npm run check', run: sourceFiles },
  { name: 'workflows', command: 'npm run check', run: workflows },
  { name: 'boundaries', command: 'npm run check', run: boundaries },
];

const lanes = 2;

const contractFile = 'openapi/openapi.yaml';
let bundle: Promise<string> | undefined;

/** The contract of the project as one document. Two checks need it, and the bundler takes a second. */
function bundled(): Promise<string> {
  bundle ??= bundleContract(projectRoot, contractFile);
  return bundle;
}

/**
 * Compares the committed generated files of a project with what the generator makes of its contract now.
 *
 * @param bundling makes the bundle, for a caller that has it already
 * @returns undefined when they agree, else which file differs, at which line.
 */
export async function generatedFiles(root: string, bundling?: () => Promise<string>): Promise<string | undefined> {
  const files = await generateAll(root, undefined, bundling);
  const differences: string[] = [];
  for (const [path, expected] of files) {
    const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (text === undefined) differences.push(`${path} is missing`);
    else if (withUnixLineEnds(text) !== expected) {
      differences.push(`${path} differs at line ${firstDifference(withUnixLineEnds(text), expected)}`);
    }
  }
  return differences.length === 0 ? undefined : differences.join('\n');
}

async function readBundle(): Promise<Contract> {
  return JSON.parse(await readFile(join(projectRoot, 'generated/openapi.json'), 'utf8'));
}

async function versions(): Promise<string | undefined> {
  const [text, published, changelog] = await Promise.all([
    bundled(),
    readVersions(projectRoot, contractFile),
    readChangelog(projectRoot, contractFile),
  ]);
  return report(await findVersionFaults({ contractFile, bundle: text, published, changelog }, compareContracts));
}

async function sourceFiles(): Promise<string | undefined> {
  return report(await findSourceFaults(projectRoot, contractFile, JSON.parse(await bundled())));
}

async function decisions(): Promise<string | undefined> {
  const text = await readFile(join(projectRoot, 'openapi/DECISIONS.md'), 'utf8');
  const { missing, unused, repeated } = compareDecisions(await readBundle(), text);
  return report([
    ...missing.map((number) => `R18: the contract names ${number}, which openapi/DECISIONS.md does not have`),
    ...unused.map((number) => `R25: no x-decision names ${number}: put it on what rests on it, or on info`),
    ...repeated.map((number) => `R18: openapi/DECISIONS.md has ${number} twice`),
  ]);
}

async function examples(): Promise<string | undefined> {
  const contract = await readBundle();
  const { falseExamples } = findFalseExamples(contract);
  return report([
    ...falseExamples.map(({ pointer, message }) => `R26: generated/openapi.json#${pointer}: ${message}`),
    ...[...findContradictions(readExamples(contract)), ...findMisleadingRefusals(contract)].map((one) => `R26: ${one}`),
  ]);
}

async function prose(): Promise<string | undefined> {
  return report((await findFalseProse(projectRoot, await readBundle())).map((fault) => `R27: ${fault}`));
}

async function workflows(): Promise<string | undefined> {
  const countersign = JSON.parse(await readFile(join(projectRoot, 'generated/openapi.json'), 'utf8')) as Contract;
  const control = parse(await readFile(join(projectRoot, workflowsFolder, 'control.yaml'), 'utf8')) as Contract;
  const faults = findWorkflowFaults(readWorkflows(), { countersign, control });
  return report(
    faults.map(({ file, place, message }) => `${workflowsFolder}/${file}.arazzo.yaml (${place}) ${message}`),
  );
}

async function boundaries(): Promise<string | undefined> {
  const trespasses = findTrespasses(projectRoot);
  return report(trespasses.map(({ file, line, rule, message }) => `${file}:${line} (${rule}) ${message}`));
}

function report(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.join('\n');
}

function toolStep(name: string, packageName: string, executable: string, args: readonly string[]): Step {
  return {
    name,
    command: ['npx', executable, ...args].join(' '),
    run: async () => {
      const { code, output } = await runTool([packageName, executable], args);
      return code === 0 ? undefined : output.trim() || `exit code ${code}`;
    },
  };
}

function firstDifference(a: string, b: string): number {
  const left = a.split('\n');
  const right = b.split('\n');
  return left.findIndex((line, index) => line !== right[index]) + 1 || left.length + 1;
}

/** Runs one step, prints its line, and says whether it went well. */
async function runStep(step: Step): Promise<boolean> {
  const startedAt = performance.now();
  let problem: string | undefined;
  try {
    problem = await step.run();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const verdict = problem === undefined ? 'ok' : 'failed';
  console.log(`${step.name.padEnd(16)} ${verdict.padEnd(7)} ${secondsSince(startedAt)}`);
  if (problem !== undefined) console.log(`${problem.replace(/^/gm, '    ')}\n    → ${step.command}`);
  return problem === undefined;
}

if (import.meta.main) {
  const startedAt = performance.now();
  const queue = [...steps];
  let failed = 0;
  const lane = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      if (!(await runStep(step))) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const verdict = failed === 0 ? 'all checks passed' : `${failed} of ${steps.length} checks failed`;
  console.log(`${verdict} (${secondsSince(startedAt)})`);
  if (failed > 0) process.exitCode = 1;
}
