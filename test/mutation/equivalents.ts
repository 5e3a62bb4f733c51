/**
 * Mutations that change nothing anybody could see, each with the reason. They aren't planted; an entry that names no
 * mutation any more fails `points.test.ts`.
 */
interface Equivalent {
  readonly file: string;
  /** As `npm run mutate` prints it. */
  readonly name: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [];
