/** Which faults the tests notice. */
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
 * Tries faults out, those together that have the same tests.
 * @param tell gets each fault as its fate is known.
 * @throws Error when a test fails without any fault: it would notice whatever there is.
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

/** All at once, each behind a switch. `loaded` are those that take effect before a switch can be turned. */
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
        // A fault may have spoilt the process for the tests after it: what is left is tried in a new one.
        if (noticed.size === noticedBefore)
          throw new Error(`Without any fault a test fails: ${verdict.by}, ${verdict.failed}`);
        noticedBefore = noticed.size;
        workshop.startAnew();
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

/** Planted for good, for the time of a run. What notices it moves to the front of the tests for the next one. */
async function isNoticedAlone(workshop: Workshop, { target, mutation }: Fault, tests: string[]): Promise<boolean> {
  const texts = new Map([[target.file, plant(target.text, mutation)]]);
  const { verdict } = await workshop.run(texts, tests);
  const by = tests.indexOf(verdict?.by ?? '');
  if (by > 0) tests.unshift(...tests.splice(by, 1));
  return verdict?.failed !== null;
}
