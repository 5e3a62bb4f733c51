/** Places where a phrase is right. An exception that no text needs any more fails the check. */

export interface Exception {
  readonly file: string;
  readonly phrase: string;
  /** A part of the line that the phrase begins on. */
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
