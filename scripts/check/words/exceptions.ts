/** Places where a phrase is allowed. An exception that no text needs fails the check. */

export interface Exception {
  readonly file: string;
  readonly phrase: string;
  /** Part of the line on which the phrase begins. */
  readonly text: string;
  readonly because: string;
}

export const exceptions: readonly Exception[] = [
  {
    file: 'test/conformance/replay.test.ts',
    phrase: 'of elsewhere',
    text: "'Bank of Elsewhere'",
    because: 'it is the name of a bank',
  },
];
