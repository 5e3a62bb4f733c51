/**
 * Runs each test once without a fault, and then once with each fault whose place it has executed and that no test has
 * found yet. A test that fails when it is repeated without a fault can't prove anything.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { type RunnerTestCase, TestRunner } from 'vitest';

/** The faults that this process knows. They stay after a test file ends. */
interface Faults {
  /** Faults that no test has found yet. */
  readonly unnoticed: Set<number>;
  /** How many faults there were at first. */
  readonly planted: number;
  /** Faults whose place was executed since this was last emptied. */
  readonly met: Set<number>;
  /** The fault that is on. */
  on: number | undefined;
}

const world = globalThis as { __fault?: (id: number) => boolean; __faults?: Faults };
const planted = readFaults();
world.__faults ??= { unnoticed: new Set(planted), planted: planted.length, met: new Set(), on: undefined };
const faults = world.__faults;
/** Without any switch this is a normal run. */
const isPlain = faults.planted === 0;
world.__fault ??= (id) => {
  faults.met.add(id);
  return id === faults.on;
};

function readFaults(): number[] {
  return JSON.parse(readFileSync('faults.json', 'utf8'));
}

function note(line: string): void {
  appendFileSync('faults.log', `${line}\n`);
}

export default class FaultRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    if (isPlain) return void (await run());
    if (faults.unnoticed.size === 0) return;
    // Code outside of a test runs when the file is loaded, before a switch can be turned on.
    for (const id of faults.met) note(`loaded ${id}`);
    faults.met.clear();
    note('test');
    await run();
    const met = [...faults.met].filter((id) => faults.unnoticed.has(id));
    for (const id of met) note(`met ${id}`);
    if (met.length > 0 && (await passes(run))) for (const id of met) await tryOut(id, run);
    faults.met.clear();
  }
}

async function tryOut(id: number, run: () => unknown): Promise<void> {
  note(`on ${id}`);
  faults.on = id;
  const isUnnoticed = await passes(run);
  faults.on = undefined;
  if (isUnnoticed) return;
  faults.unnoticed.delete(id);
  note(`noticed ${id}`);
}

async function passes(run: () => unknown): Promise<boolean> {
  try {
    await run();
    return true;
  } catch {
    return false;
  }
}
