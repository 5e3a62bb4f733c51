/** The basis of a finding, given or assumed: its text, and which level ends a check with exit code 1. */
import type { Basis as Founded } from '../contract/basis/marks.ts';
import { decisionTitles } from '../generated/decisions.ts';

export type Level = 'given' | 'assumed';

/** What a finding breaks: something that the interface gives, or something that only our decisions say. */
export interface Basis {
  readonly level: Level;
  /** The decisions it breaks, the nearest first; empty if it is given. */
  readonly decisions: readonly Decision[];
}

/** An entry of openapi/DECISIONS.md. */
export interface Decision {
  readonly id: string;
  readonly title: string;
}

const given: Basis = { level: 'given', decisions: [] };

export function toBasis(founded: Founded): Basis {
  if (founded === 'given') return given;
  return { level: 'assumed', decisions: founded.map((id) => ({ id, title: decisionTitles[id] ?? '' })) };
}

/** `given`, or `assumed: D36 Internal accounts, D87 What is always there`. */
export function describeBasis({ level, decisions }: Basis): string {
  if (level === 'given') return level;
  return `${level}: ${decisions.map(({ id, title }) => `${id} ${title}`.trim()).join(', ')}`;
}

/** Whether a finding counts. A finding that breaks something given always does. */
export function counts({ level }: Basis, failOn: Level): boolean {
  return level === 'given' || failOn === 'assumed';
}
