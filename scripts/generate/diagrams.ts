/** The same pictures as Mermaid text, which a Git host draws where it shows a guide's file. */
import type { Machine, Sequence } from './states.ts';

/** A life as a state diagram. */
export function machineDiagram({ states, transitions }: Machine): string {
  const idOf = (state: string | null): string => (state === null ? '[*]' : state.replaceAll(' ', '_'));
  const names = states.filter((state) => state.includes(' ')).map((state) => `  state "${state}" as ${idOf(state)}`);
  const arrows = transitions.map(({ from, to, when }) => `  ${idOf(from)} --> ${idOf(to)}: ${plain(when)}`);
  return fenced(['stateDiagram-v2', ...names, ...arrows]);
}

/** An exchange as a sequence diagram. */
export function sequenceDiagram({ participants, messages }: Sequence): string {
  const arrows = messages.map(
    ({ from, to, lines }) => `  ${participants[from]}->>${participants[to]}: ${plain(lines.join(' '))}`,
  );
  return fenced(['sequenceDiagram', ...participants.map((name) => `  participant ${name}`), ...arrows]);
}

/** Mermaid ends a text at a colon or a semicolon. */
function plain(text: string): string {
  return text.replaceAll(/\s*[:;]\s*/g, ', ');
}

function fenced(lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```'].join('\n');
}
