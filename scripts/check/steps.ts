/**
 * The steps of `npm run check`, and what they check: the contract from its current sources, bundled once for all steps.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readChangelog } from '../diff/changelog.ts';
import { compareContracts } from '../diff/compare.ts';
import { controlFile } from '../generate/control.ts';
import { findStrays, generateAll } from '../generate/main.ts';
import { readWorkflows, workflowsFolder } from '../lib/arazzo.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { type BundleProblem, findBrokenHouseRules } from '../lib/houseRules.ts';
import { createLocator } from '../lib/places.ts';
import { projectRoot, withUnixLineEnds } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';
import { readVersions } from '../lib/versions.ts';
import { findUnfounded } from './basis.ts';
import { findTrespasses } from './boundaries.ts';
import { lintContract } from './contractLint.ts';
import { compareDecisions } from './decisions.ts';
import { findFalseExamples } from './examples.ts';
import { findForbiddenImports } from './imports.ts';
import { findFalseProse } from './prose.ts';
import { findWorseReadability } from './readability.ts';
import { findMisleadingRefusals } from './refusals.ts';
import { findSourceFaults } from './sources.ts';
import { readExamples } from './story/read.ts';
import { findContradictions } from './story.ts';
import { findVersionFaults } from './versions.ts';
import { findBannedPhrases } from './words.ts';
import { findWorkflowFaults } from './workflows.ts';

/** A check. `run` resolves to undefined if there is no fault, otherwise to a text that says what is wrong. */
export interface Step {
  readonly name: string;
  /** A check that must pass first, because this one would only repeat its faults. */
  readonly after?: string;
  /** The command that repeats the check or repairs what it found. */
  readonly command: string;
  readonly run: () => Promise<string | undefined>;
}

const contractFile = 'openapi/openapi.yaml';

const sources = [
  'cli',
  'client',
  'conformance',
  'console',
  'contract',
  'generated',
  'mocks',
  'package',
  'scripts',
  'test',
  'mcp',
  'traffic',
].filter((folder) => existsSync(join(projectRoot, folder)));

/**
 * All checks. First come those that others wait for, then the longest, so that two lanes end at about the same time. If
 * the linter refuses the contract, later checks are skipped, because they would refuse it too.
 */
export const steps: readonly Step[] = [
  {
    name: 'contract lint',
    command: `npx redocly lint ${contractFile}`,
    run: async () => report(await lintContract(projectRoot, contractFile)),
  },
  // The native compiler finds the same faults in a third of the time. openapi-typescript and boundaries.ts need the API
  // of 5.9. It skips what hasn't changed since the last run, which saves most of the time.
  toolStep('types', 'typescript-native', 'tsc', [
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'node_modules/.cache/countersign-types.json',
  ]),
  { name: 'bundle lint', after: 'contract lint', command: 'npm run check -- --only "bundle lint"', run: houseRules },
  toolStep('dead code', 'knip', 'knip', []),
  { name: 'import rules', command: 'npm run check -- --only "import rules"', run: imports },
  toolStep('workflow lint', '@redocly/cli', 'redocly', ['lint', `${workflowsFolder}/*.arazzo.yaml`]),
  { name: 'generated files', after: 'contract lint', command: 'npm run generate', run: generated },
  { name: 'versions', after: 'contract lint', command: 'npm run diff', run: versions },
  { name: 'examples', after: 'contract lint', command: 'npm run check -- --only examples', run: examples },
  { name: 'decisions', after: 'contract lint', command: 'npm run check -- --only decisions', run: decisions },
  { name: 'prose', after: 'contract lint', command: 'npm run check -- --only prose', run: prose },
  {
    ...toolStep('style', '@biomejs/biome', 'biome', ['check', '.', '--diagnostic-level=warn', '--error-on-warnings']),
    command: 'npx biome check --write .',
  },
  { name: 'sources', after: 'contract lint', command: 'npm run check -- --only sources', run: sourceFiles },
  { name: 'workflows', after: 'contract lint', command: 'npm run check -- --only workflows', run: workflows },
  {
    name: 'control surface',
    // It checks generated texts, which are made from both contracts.
    after: 'contract lint',
    command: `npx redocly lint ${controlFile}`,
    run: controlSurface,
  },
  { name: 'words', command: 'npm run check -- --only words', run: words },
  { name: 'readability', command: 'npm run check -- --only readability', run: readability },
  { name: 'boundaries', command: 'npm run check -- --only boundaries', run: boundaries },
];

let bundle: Promise<string> | undefined;
let files: Promise<ReadonlyMap<string, string>> | undefined;

/** The contract of the project as one document, bundled once. */
function bundled(): Promise<string> {
  bundle ??= bundleContract(projectRoot, contractFile);
  return bundle;
}

/** The files that the generator makes from the current contract. Every check reads these. */
function fresh(): Promise<ReadonlyMap<string, string>> {
  files ??= generateAll(projectRoot, undefined, bundled);
  return files;
}

async function freshText(): Promise<string> {
  return (await fresh()).get('generated/openapi.json') ?? '';
}

async function readBundle(): Promise<ContractDocument> {
  return JSON.parse(await freshText());
}

/** Checks the bundle against the house rules. Each finding names the line in the source. */
async function houseRules(): Promise<string | undefined> {
  return report((await findBrokenHouseRules(await freshText())).map(atItsSource()));
}

/** Checks the contract of the control surface: its source by Redocly's rules, its bundle by the house rules. */
async function controlSurface(): Promise<string | undefined> {
  const found = await lintContract(projectRoot, controlFile);
  if (found.length > 0) return report(found);
  const text = (await fresh()).get('generated/control.json') ?? '';
  const broken = await findBrokenHouseRules(text, 'openapi/control/.spectral.yaml');
  return report(broken.map(atItsSource(controlFile)));
}

/** Formats a problem of a bundle: file and line of the source, then the pointer. */
function atItsSource(root = contractFile): (problem: BundleProblem) => string {
  const locate = createLocator(projectRoot, root);
  return ({ pointer, message }) => {
    const { file, line } = locate(pointer) ?? { file: root, line: 1 };
    return `${file}:${line} ${pointer}: ${message}`;
  };
}

async function generated(): Promise<string | undefined> {
  return report(await staleFiles(projectRoot, await fresh()));
}

/**
 * Compares a project's generated files with what the generator makes from its current contract.
 *
 * @returns the files that differ, each with the line
 */
export async function staleFiles(root: string, expected: ReadonlyMap<string, string>): Promise<string[]> {
  const differences = await Promise.all(
    [...expected].map(async ([path, wanted]) => {
      const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
      if (text === undefined) return [`${path} is missing`];
      const found = withUnixLineEnds(text);
      return found === wanted ? [] : [`${path} differs at line ${firstDifference(found, wanted)}`];
    }),
  );
  const strays = await findStrays(expected, root);
  return [...differences.flat(), ...strays.map((path) => `${path} is not generated any more`)];
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
  const contract = await readBundle();
  const { missing, unused, repeated } = compareDecisions(contract, text);
  return report([
    ...missing.map((number) => `R18: the contract names ${number}, which openapi/DECISIONS.md does not have`),
    ...unused.map((number) => `R25: no x-decision or x-basis names ${number}: put it on what rests on it, or on info`),
    ...findUnfounded(contract)
      .map(atItsSource())
      .map((one) => `R28: ${one}`),
    ...repeated.map((number) => `R18: openapi/DECISIONS.md has ${number} twice`),
  ]);
}

async function examples(): Promise<string | undefined> {
  const contract = await readBundle();
  const { falseExamples } = findFalseExamples(contract);
  return report([
    ...falseExamples.map(atItsSource()).map((one) => `R26: ${one}`),
    ...[...findContradictions(readExamples(contract)), ...findMisleadingRefusals(contract)].map((one) => `R26: ${one}`),
  ]);
}

async function prose(): Promise<string | undefined> {
  return report((await findFalseProse(projectRoot, await readBundle())).map((fault) => `R27: ${fault}`));
}

async function words(): Promise<string | undefined> {
  return report(await findBannedPhrases(projectRoot));
}

async function readability(): Promise<string | undefined> {
  return report(await findWorseReadability(projectRoot));
}

async function workflows(): Promise<string | undefined> {
  const countersign = await readBundle();
  const control = JSON.parse((await fresh()).get('generated/control.json') ?? '') as ContractDocument;
  const faults = findWorkflowFaults(readWorkflows(), { countersign, control });
  return report(
    faults.map(({ file, place, message }) => `${workflowsFolder}/${file}.arazzo.yaml (${place}) ${message}`),
  );
}

async function imports(): Promise<string | undefined> {
  return report(await findForbiddenImports(projectRoot, sources));
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
