/** What of the contract's names a run has not shown. */

/** Names that the ledger does not ask for, each with its reason. */
export interface LedgerExceptions {
  /**
   * Properties and parameters that are answered in another way than the ledger sees, in every operation that takes them:
   * `QuoteCreateRequest.immediatelyExecute`, `header Request-Id`. They must be sent anyway.
   */
  readonly answered: Readonly<Record<string, string>>;
  /** Whole names that nothing reaches, with the decision. */
  readonly unreachable: Readonly<Record<string, string>>;
}

const use = /^\w+ uses (.+)$/;

/**
 * One line for each name that was not seen and isn't an exception, and for each exception that nobody needs.
 *
 * @param names of the contract, see `readLedgerNames`.
 */
export function nameGaps(
  names: readonly string[],
  seen: ReadonlySet<string>,
  { answered, unreachable }: LedgerExceptions,
): string[] {
  const unseen = names.filter((name) => !seen.has(name));
  const needed = new Set(unseen.flatMap((name) => [name, use.exec(name)?.[1] ?? '']));
  const excused = (name: string): boolean => name in unreachable || (use.exec(name)?.[1] ?? '') in answered;
  return [
    ...unseen.filter((name) => !excused(name)).map((name) => `declared but never seen in a test: ${name}`),
    ...[...Object.keys(answered), ...Object.keys(unreachable)]
      .filter((name) => !needed.has(name))
      .map((name) => `an exception that nothing needs (test/support/ledger/ledgerExceptions.ts): ${name}`),
  ];
}
