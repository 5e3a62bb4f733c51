/**
 * The process that runs tests in the copy of the project: one Vitest that stays up, so that a mutation costs its tests
 * and nothing else. It is asked by a message, and ended from outside when a mutation makes it run for ever.
 */
import { join } from 'node:path';
import { createVitest, type TestSpecification } from 'vitest/node';

/** Which tests to run, in this order, after `changed` was written. */
export interface Question {
  readonly changed: readonly string[];
  readonly tests: readonly string[];
}

/** The first test that failed, or what else went wrong; null when all passed. */
export interface Verdict {
  readonly failed: string | null;
  /** The file of that test. */
  readonly by?: string;
}

const root = process.cwd();

/** Runs files in the order in which they were asked for. */
class AsAsked {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

const vitest = await createVitest('test', {
  root,
  config: false,
  include: ['test/**/*.test.ts'],
  // One process for all files of a question: what a mutation breaks in the next file's place is broken anyway.
  pool: 'forks',
  isolate: false,
  maxWorkers: 1,
  bail: 1,
  testTimeout: 60_000,
  runner: './test/mutation/testRunner.ts',
  reporters: [{}],
  watch: false,
  sequence: { sequencer: AsAsked },
});
await vitest.standalone();
const project = vitest.getRootProject();

async function answer({ changed, tests }: Question): Promise<Verdict> {
  for (const file of changed) vitest.invalidateFile(join(root, file));
  const specifications = tests.map((file) => project.createSpecification(join(root, file)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const broken = testModules.find((module) => !module.ok());
  if (broken === undefined) return { failed: unhandledErrors.length > 0 ? 'an unhandled error' : null };
  const [first] = [...broken.children.allTests('failed')];
  const failed = first?.fullName ?? `the file: ${broken.errors()[0]?.message ?? 'for no stated reason'}`;
  return { failed, by: broken.relativeModuleId };
}

process.on('message', (question: Question) => {
  void answer(question).then((verdict) => process.send?.(verdict));
});
process.on('disconnect', () => process.exit());
