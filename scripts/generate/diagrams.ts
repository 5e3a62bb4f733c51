/** Writes the guides' pictures as Mermaid text. A Git host draws them where it shows a guide's file. */
import type { Machine, Sequence } from './states.ts';

/** The states and transitions of a resource as a Mermaid state diagram, in a code fence. */
export function machineDiagram({ states, transitions }: Machine): string {
  const idOf = (state: string | null): string => (state === null ? '[*]' : state.replaceAll(' ', '_'));
  const names = states.filter((state) => state.includes(' ')).map((state) => `  state "${state}" as ${idOf(state)}`);
  const arrows = transitions.map(({ from, to, when }) => `  ${idOf(from)} --> ${idOf(to)}: ${plain(when)}`);
  return fenced(['stateDiagram-v2', ...names, ...arrows]);
}

/** The messages between participants as a Mermaid sequence diagram, in a code fence. */
export function sequenceDiagram({ participants, messages }: Sequence): string {
  const arrows = messages.map(
    ({ from, to, lines }) => `  ${participants[from]}->>${participants[to]}: ${plain(lines.join(' '))}`,
  );
  return fenced(['sequenceDiagram', ...participants.map((name) => `  participant ${name}`), ...arrows]);
}

/** Replaces colons and semicolons by commas, because Mermaid ends a text there. */
function plain(text: string): string {
  return text.replaceAll(/\s*[:;]\s*/g, ', ');
}

function fenced(lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```'].join('\n');
}
