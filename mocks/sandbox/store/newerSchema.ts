/** A newer version of the sandbox has changed the tables in a way that this version doesn't know. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
  readonly steps: readonly string[];

  /** @param steps names of the migrations that this version lacks. */
  constructor(steps: readonly string[]) {
    super(
      `a newer version of the sandbox made it (${steps.join(', ')}): run that version, or take a new place for the data`,
    );
    this.steps = steps;
  }
}
