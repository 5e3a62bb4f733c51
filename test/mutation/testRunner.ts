/**
 * Runs each test as it is, and then once more with each fault that it came by and that is still unnoticed. A test that
 * does not pass a second time without any fault says nothing about one.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { type RunnerTestCase, TestRunner } from 'vitest';

/** What the tests of this process know of the faults; it outlives a test file. */
interface Faults {
  /** Nobody has noticed them yet. */
  readonly unnoticed: Set<number>;
  /** How many there were at first. */
  readonly planted: number;
  /** Those that were evaluated since this was emptied. */
  readonly met: Set<number>;
  /** The one that is on. */
  on: number | undefined;
}

const world = globalThis as { __fault?: (id: number) => boolean; __faults?: Faults };
const planted = readFaults();
world.__faults ??= { unnoticed: new Set(planted), planted: planted.length, met: new Set(), on: undefined };
const faults = world.__faults;
/** Without any switch this is a run like any other. */
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
    // What was met outside of a test is read when the file is loaded: a switch comes too late for it.
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
