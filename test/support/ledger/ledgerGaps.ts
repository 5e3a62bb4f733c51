/** Finds the names of the contract that a run has not shown. */

/** Names that the ledger doesn't require, each with its reason. */
export interface LedgerExceptions {
  /**
   * Properties and parameters whose effect the ledger can't see, in every operation that takes them:
   * `QuoteCreateRequest.immediatelyExecute`, `header Request-Id`. Tests must still send them.
   */
  readonly answered: Readonly<Record<string, string>>;
  /** Names that no request or reply can contain, with the decision. */
  readonly unreachable: Readonly<Record<string, string>>;
}

const use = /^\w+ uses (.+)$/;

/**
 * One line for each missing name that isn't an exception, and for each exception that isn't needed.
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
