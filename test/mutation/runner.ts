/**
 * The process that runs tests in the copy of the project. One Vitest stays running, so that a mutation costs only its
 * tests. It gets its work as messages, and is killed from outside if a mutation makes it run forever.
 */
import { join } from 'node:path';
import { createVitest, type TestSpecification } from 'vitest/node';

/** The tests to run, in this order, after `changed` was written. */
export interface Question {
  readonly changed: readonly string[];
  readonly tests: readonly string[];
}

/** The first failed test, or another failure; null if all passed. */
export interface Verdict {
  readonly failed: string | null;
  /** The file of that test. */
  readonly by?: string;
}

const root = process.cwd();

/** Runs files in the requested order. */
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
  // One process for all files of a question: it doesn't matter if a mutation affects the next file too.
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
