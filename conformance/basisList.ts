/**
 * `countersign check --basis`: lists what is given in the contract, and what is assumed and needs an answer of the
 * owner.
 */
import { type Fact, listSubjects, type Subject } from '../contract/basis/facts.ts';
import { decisionTitles } from '../generated/decisions.ts';
import { describeBasis, toBasis } from './basis.ts';
import type { Write } from './report/report.ts';

/**
 * Selects the contract as a whole, the operations, then the types that they refer to, each once.
 * @param wanted the operations to list, with all the types that they reach; if empty, every operation.
 * @throws RangeError that names an unknown operation.
 */
export function selectSubjects(document: Record<string, unknown>, wanted: readonly string[]): Subject[] {
  const subjects = listSubjects(document);
  const byName = new Map(subjects.map((subject) => [subject.name, subject]));
  const unknown = wanted.find((name) => byName.get(name)?.kind !== 'operation');
  if (unknown !== undefined) throw new RangeError(unknown);
  if (wanted.length === 0) return subjects;
  const reached = new Set<Subject>();
  const reach = (name: string): void => {
    const subject = byName.get(name);
    if (subject === undefined || reached.has(subject)) return;
    reached.add(subject);
    for (const { type } of subject.uses) reach(type);
  };
  for (const name of wanted) reach(name);
  return subjects.filter((subject) => reached.has(subject));
}

/** For people: writes facts that belong together in one line, given ones first. */
export function writeBasisText(subjects: readonly Subject[], write: Write): void {
  for (const { name, title, facts, uses } of subjects) {
    // The first fact is the subject itself, except for the contract as a whole.
    const whole = facts[0]?.what === 'self' ? facts[0] : undefined;
    const parts = whole === undefined ? facts : facts.slice(1);
    const heading = [name, title].filter((part) => part !== '').join(', ');
    write(whole === undefined ? `${heading}\n` : `${heading} (${describe(whole.basis)})\n`);
    // A fact that only repeats the basis of the whole operation adds no question.
    const own = parts.map((fact) => ({ ...fact, basis: without(fact.basis, whole?.basis) }));
    const told = own.filter((fact) => fact.basis === 'given' || (fact.basis?.length ?? 0) > 0);
    for (const [basis, group] of Map.groupBy(sorted(told), (fact) => describe(fact.basis))) {
      write(`  ${basis}\n`);
      for (const line of linesOf(group)) write(`    ${line}\n`);
    }
    const types = uses.filter(({ type }) => subjects.some((one) => one.name === type));
    if (types.length > 0) write(`  see ${[...new Set(types.map(({ type }) => type))].join(', ')}\n`);
    write('\n');
  }
}

function describe(basis: Fact['basis']): string {
  return describeBasis(toBasis(basis ?? 'given'));
}

function without(basis: Fact['basis'], whole: Fact['basis']): Fact['basis'] {
  if (!Array.isArray(basis) || !Array.isArray(whole)) return basis;
  return basis.filter((decision) => !whole.includes(decision));
}

/** For a program: `{operations: [Subject], types: [Subject], everywhere: [Fact]}`. */
export function writeBasisJson(subjects: readonly Subject[], write: Write): void {
  const facts = (subject: Subject) =>
    subject.facts.map(({ of, what, detail, basis }) => ({
      of,
      what,
      ...(detail === undefined ? {} : { detail }),
      basis: toBasis(basis ?? 'given'),
    }));
  const list = (kind: Subject['kind']) =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map((subject) => ({
        name: subject.name,
        ...(subject.title === '' ? {} : { title: subject.title }),
        facts: facts(subject),
        uses: subject.uses,
      }));
  const everywhere = subjects.filter(({ kind }) => kind === 'contract').flatMap(facts);
  const whole = { everywhere, operations: list('operation'), types: list('type'), decisions: decisionTitles };
  write(`${JSON.stringify(whole, null, 1)}\n`);
}

function sorted(facts: readonly Fact[]): Fact[] {
  return [...facts.filter(({ basis }) => basis === 'given'), ...facts.filter(({ basis }) => basis !== 'given')];
}

/** Writes one line for each kind of fact: `required: id, status`. */
function linesOf(facts: readonly Fact[]): string[] {
  return [...Map.groupBy(facts, ({ what }) => titles[what] ?? what)].map(([title, group]) => {
    const names = group.map(({ of, what, detail }) => {
      if (what === 'required') return [of, detail].filter((part) => part !== undefined && part !== '').join('.');
      return detail ?? (of === '' ? 'the whole' : of);
    });
    return `${title}: ${[...new Set(names)].join(', ')}`;
  });
}

const bounds = ['Length', 'Items', 'Properties', 'imum'].flatMap((of) => [`min${of}`, `max${of}`]);

const titles: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...bounds, 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'].map((key) => [key, 'bounds']),
  ),
  self: 'is there',
  additionalProperties: 'has no other fields',
  unevaluatedProperties: 'has no other fields',
  successes: 'the statuses of a success',
  refusals: 'the statuses and codes of a refusal',
  discriminator: 'the members of a choice',
  enum: 'the list of values',
  const: 'the value',
  'missing-body': 'a body is needed',
};
