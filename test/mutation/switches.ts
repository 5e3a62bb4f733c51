/** Puts many faults into one text, each behind a switch, so that the tests needn't be loaded again for each fault. */
import type { Mutation } from './points.ts';

export interface Numbered extends Mutation {
  readonly id: number;
}

/** The text with every fault behind `__fault(id)`, which returns whether that fault is on. Faults may be nested. */
export function withSwitches(text: string, faults: readonly Numbered[]): string {
  const outerFirst = faults.toSorted((one, other) => one.start - other.start || other.end - one.end);
  return render(text, outerFirst, 0, text.length);
}

function render(text: string, faults: readonly Numbered[], from: number, to: number): string {
  let written = '';
  let at = from;
  for (let rest = faults; rest.length > 0; ) {
    const [outer, ...others] = rest as [Numbered, ...Numbered[]];
    const inside = others.filter(({ start }) => start < outer.end);
    const right = render(text, inside, outer.start, outer.end);
    written += text.slice(at, outer.start) + behindSwitch(outer, right);
    at = outer.end;
    rest = others.slice(inside.length);
  }
  return written + text.slice(at, to);
}

function behindSwitch({ id, isStatement, replacement }: Numbered, right: string): string {
  if (isStatement) return `{ if (!globalThis.__fault(${id})) { ${right} } }`;
  return `(globalThis.__fault(${id}) ? (${replacement}) : (${right}))`;
}
