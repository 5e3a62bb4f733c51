/**
 * The end of a test run: the ledger of declared statuses, and the one line that says how it went.
 *
 * The ledger holds the promise "every status that the contract declares is answered in a test". The harness appends
 * `{"operationId","status"}` lines to files in the folder that `COUNTERSIGN_LEDGER` names; after a run of the whole
 * suite this compares them with the contract and fails the run for a gap.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import type { OperationFacts } from '../../generated/operations.ts';

/** Prints, after Vitest's own summary, any gap in the ledger and then `N passed, N failed` as the last line. */
export default class CountersignReporter implements Reporter {
  #vitest: Vitest | undefined;
  #ledger: string | undefined;
  #filesAsked = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    this.#ledger = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
    // The workers start later and inherit it.
    process.env.COUNTERSIGN_LEDGER = this.#ledger;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#filesAsked = specifications.length;
  }

  async onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): Promise<void> {
    const { passed, failed } = countResults(modules);
    const broken = failed + (unhandledErrors.length > 0 && failed === 0 ? 1 : 0);
    const gaps = broken === 0 && (await this.#isWholeSuite()) ? await this.#findGaps() : [];
    if (this.#ledger !== undefined) rmSync(this.#ledger, { recursive: true, force: true });
    for (const { operationId, status } of gaps) {
      console.log(`declared but never answered in a test: ${operationId} ${status}`);
    }
    if (gaps.length > 0) process.exitCode = 1;
    console.log(`${passed} passed, ${broken} failed`);
  }

  async #findGaps(): Promise<LedgerEntry[]> {
    // Loaded only here, so that a test can be run while the generated files are missing or broken.
    const { operations } = await import('../../generated/operations.ts');
    return ledgerGaps(operations, readLedger(this.#ledger));
  }

  async #isWholeSuite(): Promise<boolean> {
    if (this.#vitest === undefined || this.#vitest.getGlobalTestNamePattern() !== undefined) return false;
    const all = await this.#vitest.globTestSpecifications();
    return this.#filesAsked === all.length;
  }
}

/** One answer that a test received: which operation it was and with which status. */
export interface LedgerEntry {
  readonly operationId: string;
  readonly status: number;
}

/** The declared statuses that no entry shows, in the contract's order. */
export function ledgerGaps(
  declared: readonly Pick<OperationFacts, 'id' | 'statuses'>[],
  answered: readonly LedgerEntry[],
): LedgerEntry[] {
  const seen = new Set(answered.map(({ operationId, status }) => `${operationId} ${status}`));
  return declared.flatMap(({ id, statuses }) =>
    statuses.filter((status) => !seen.has(`${id} ${status}`)).map((status) => ({ operationId: id, status })),
  );
}

/** Counts tests. A file that did not load, or whose hooks failed, has no failed test of its own and counts as one. */
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

function readLedger(folder: string | undefined): LedgerEntry[] {
  if (folder === undefined) return [];
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LedgerEntry),
  );
}
