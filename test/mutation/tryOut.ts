/** Finds out which faults the tests notice. */
import { type Mutation, plant } from './points.ts';
import type { Target } from './scope.ts';
import { withSwitches } from './switches.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

export interface Fault {
  readonly id: number;
  readonly target: Target;
  readonly mutation: Mutation;
}

/**
 * Tries faults; those with the same tests are tried together.
 * @param tell is called with each fault when its result is known.
 * @throws Error if a test fails without any fault, because it would fail with every fault.
 */
export async function tryOut(
  faults: readonly Fault[],
  tell: (fault: Fault, isNoticed: boolean) => void,
): Promise<void> {
  const workshop = openWorkshop();
  const close = (): void => workshop.close();
  process.once('exit', close);
  for (const together of Map.groupBy(faults, ({ target }) => target.tests.join()).values()) {
    const { noticed, loaded } = await tryTogether(workshop, together);
    const tests = [...(together[0]?.target.tests ?? [])];
    for (const fault of together) {
      tell(fault, loaded.has(fault.id) ? await isNoticedAlone(workshop, fault, tests) : noticed.has(fault.id));
    }
  }
  process.off('exit', close);
  close();
}

/** Plants all at once, each behind a switch. `loaded` are those that take effect before a switch can be turned on. */
async function tryTogether(workshop: Workshop, faults: readonly Fault[]) {
  const tests = faults[0]?.target.tests ?? [];
  const noticed = new Set<number>();
  let noticedBefore = -1;
  for (;;) {
    const left = faults.filter(({ id }) => !noticed.has(id));
    const byTarget = Map.groupBy(left, ({ target }) => target);
    const texts = new Map(
      [...byTarget].map(([{ file, text }, some]) => [
        file,
        withSwitches(
          text,
          some.map(({ id, mutation }) => ({ ...mutation, id })),
        ),
      ]),
    );
    const { verdict, log } = await workshop.run(
      texts,
      tests,
      left.map(({ id }) => id),
    );
    const named = (word: string): number[] =>
      log.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.slice(word.length + 1)));
    for (const id of named('noticed')) noticed.add(id);
    if (verdict !== undefined) {
      if (verdict.failed !== null) {
        // A fault may have broken the process for later tests, so the rest is tried in a new process.
        if (noticed.size === noticedBefore)
          throw new Error(`Without any fault a test fails: ${verdict.by}, ${verdict.failed}`);
        noticedBefore = noticed.size;
        workshop.restart();
        continue;
      }
      const met = new Set(named('met'));
      return { noticed, loaded: new Set(named('loaded').filter((id) => !met.has(id) && !noticed.has(id))) };
    }
    const hanging = named('on').at(-1);
    if (hanging === undefined || noticed.has(hanging)) throw new Error('A test hangs without any fault.');
    noticed.add(hanging);
  }
}

/** Plants one fault without a switch for one run. The test that finds it moves to the front for the next one. */
async function isNoticedAlone(workshop: Workshop, { target, mutation }: Fault, tests: string[]): Promise<boolean> {
  const texts = new Map([[target.file, plant(target.text, mutation)]]);
  const { verdict } = await workshop.run(texts, tests);
  const by = tests.indexOf(verdict?.by ?? '');
  if (by > 0) tests.unshift(...tests.splice(by, 1));
  return verdict?.failed !== null;
}
