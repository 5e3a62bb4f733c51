/**
 * Prints the end of a test run: the slowest files, gaps in the ledger of declared statuses, and one line with the
 * result.
 *
 * The ledger proves the promise "a test gets every status that the contract declares, and every error code, from the
 * sandbox". The harness appends a line per answer (coverage.ts) to files in the folder that `COUNTERSIGN_LEDGER` names.
 * After a run of the whole suite, the reporter compares them with the contract and fails the run if there is a gap. A
 * status has one media type or none (mirror.test.ts), and only an answer in that type counts (coverage.ts).
 *
 * It does the same for the contract's names: properties, parameters, enum values and headers (ledgerNames.ts,
 * ledgerWatch.ts). `COUNTERSIGN_GAPS=1` prints the gaps of a partial run too, without failing it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import type { OperationFacts } from '../../../generated/operations.ts';
import type { ContractDocument } from '../../../scripts/lib/contract.ts';
import type { LedgerEntry } from '../ledger/coverage.ts';
import { ledgerExceptions } from '../ledger/ledgerExceptions.ts';
import { nameGaps } from '../ledger/ledgerGaps.ts';
import { readLedgerNames } from '../ledger/ledgerNames.ts';
import { describeMissingRuntimes } from '../process/runtimes.ts';
import { findPgBouncer } from '../sandbox/pgbouncerProgram.ts';
import { isLongRun } from './length.ts';

/**
 * Prints, after Vitest's own summary, the ten slowest files, the run's seed, any gap in the ledger, and as the last
 * line `N passed, N failed`.
 */
export default class CountersignReporter implements Reporter {
  #vitest: Vitest | undefined;
  #ledger: string | undefined;
  #filesAsked = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    // A new folder for each run, because a watching Vitest has many.
    this.#ledger = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
    // The workers start later and inherit it.
    process.env.COUNTERSIGN_LEDGER = this.#ledger;
    this.#filesAsked = specifications.length;
  }

  async onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): Promise<void> {
    const { passed, failed } = countResults(modules);
    const broken = failed + (unhandledErrors.length > 0 && failed === 0 ? 1 : 0);
    const isWhole = await this.#isWholeSuite();
    const isAsked = process.env.COUNTERSIGN_GAPS === '1';
    const gaps = broken === 0 && (isWhole || isAsked) ? await this.#findGaps() : [];
    if (this.#ledger !== undefined) rmSync(this.#ledger, { recursive: true, force: true });
    for (const line of describeSlowest(modules.map(timeOf), isLongRun)) console.log(line);
    console.log(`seed ${this.#vitest?.config.env?.['COUNTERSIGN_SEED']} (COUNTERSIGN_SEED repeats it)`);
    for (const gap of gaps) console.log(gap);
    if (isWhole && gaps.length > 0) process.exitCode = 1;
    else if (isWhole && broken === 0) console.log('every declared status, code and name was answered');
    if (isLongRun && isWhole && findPgBouncer() === undefined) {
      console.log(
        'not run, as this machine has no pgbouncer (apt-get install pgbouncer): test/store/pgbouncer.test.ts',
      );
    }
    if (isLongRun && isWhole) for (const missing of describeMissingRuntimes()) console.log(missing);
    console.log(`${passed} passed, ${broken} failed`);
  }

  async #findGaps(): Promise<string[]> {
    // Imported only here, so that a test can run while the generated files are missing or broken.
    const { operations } = await import('../../../generated/operations.ts');
    const bundle = readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8');
    const contract = JSON.parse(bundle) as ContractDocument;
    const transport = Object.entries(contract['x-transport-responses'] ?? {});
    const codes = Object.fromEntries(transport.map(([status, response]) => [status, response.codes ?? []]));
    const entries = readLines(this.#ledger, '.jsonl').map((line) => JSON.parse(line) as LedgerEntry);
    const answers = ledgerGaps(operations, entries, codes).map(({ operationId, status, code = '' }) =>
      `declared but never answered in a test: ${operationId} ${status} ${code}`.trimEnd(),
    );
    const seen = new Set(readLines(this.#ledger, '.names'));
    return [...answers, ...nameGaps(readLedgerNames(contract).all(), seen, ledgerExceptions)];
  }

  async #isWholeSuite(): Promise<boolean> {
    if (this.#vitest === undefined || this.#vitest.getGlobalTestNamePattern() !== undefined) return false;
    // With `--project`, other projects don't run.
    if (this.#vitest.config.project.length > 0) return false;
    const all = await this.#vitest.globTestSpecifications();
    return this.#filesAsked === all.length;
  }
}

/** How long a test file took in a project, including its imports. */
export interface FileTime {
  /** Path from the project's root. */
  readonly file: string;
  readonly project: string;
  readonly ms: number;
}

/** A person waits for the suite, so a slower file gets a warning. */
const slowMs = 15_000;

/**
 * The ten slowest files, slowest first, and a warning for each file that is too slow for `npm test`.
 *
 * @param isLong whether this is the long run, in which a file may be slow.
 */
export function describeSlowest(times: readonly FileTime[], isLong: boolean): string[] {
  const slowest = times.toSorted((a, b) => b.ms - a.ms);
  const lines = slowest.slice(0, 10).map((one) => `  ${seconds(one.ms).padStart(7)}  ${nameOf(one)}`);
  const tooSlow = isLong ? [] : slowest.filter(({ ms }) => ms > slowMs);
  const warnings = tooSlow.map(
    (one) =>
      `warning: ${nameOf(one)} took ${seconds(one.ms)}, more than ${seconds(slowMs)}. Move what is long to the long run (byLength in test/support/run/length.ts).`,
  );
  return lines.length === 0 ? [] : ['slowest files', ...lines, ...warnings];
}

function nameOf({ file, project }: FileTime): string {
  return `${file} (${project})`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function timeOf(module: TestModule): FileTime {
  const { duration, collectDuration } = module.diagnostic();
  return { file: module.relativeModuleId, project: module.project.name, ms: duration + collectDuration };
}

/** The part of a contract that is compared: the statuses of its operations, and the error codes of each status. */
type Declared = Pick<OperationFacts, 'id' | 'statuses' | 'codes'>;

/**
 * The declared statuses and error codes that no entry shows, in the contract's order.
 *
 * @param transport codes that any operation may return, by status: one entry anywhere is enough for each
 */
export function ledgerGaps(
  declared: readonly Declared[],
  answered: readonly LedgerEntry[],
  transport: Readonly<Record<number, readonly string[]>> = {},
): LedgerEntry[] {
  const keyOf = ({ operationId, status, code = '' }: LedgerEntry): string => `${operationId} ${status} ${code}`;
  const anywhere = answered.map((entry) => ({ ...entry, operationId: 'transport' }));
  const seen = new Set([...answered, ...anywhere].map(keyOf));
  return [...declared, { id: 'transport', statuses: Object.keys(transport).map(Number), codes: transport }]
    .flatMap(({ id, statuses, codes }) =>
      statuses.flatMap((status): LedgerEntry[] => {
        const here = { operationId: id, status };
        return codes[status] === undefined ? [here] : codes[status].map((code) => ({ ...here, code }));
      }),
    )
    .filter((entry) => !seen.has(keyOf(entry)));
}

/** Counts tests. A file that did not load, or whose hooks failed, has no failed test, so it counts as one. */
function countResults(modules: readonly TestModule[]): { passed: number; failed: number } {
  let passed = 0;
  let failed = 0;
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      if (state === 'failed') failedHere += 1;
    }
    failed += failedHere === 0 && module.state() === 'failed' ? 1 : failedHere;
  }
  return { passed, failed };
}

/** The lines of all ledger files with this ending. */
function readLines(folder: string | undefined, ending: string): string[] {
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '');
}
