/** House rule R28: whatever can be a finding is given, or rests on a decision. */
import { listSubjects } from '../../contract/basis/facts.ts';

/** Something that the contract says, and not what it rests on. */
export interface UnfoundedFact {
  /** Where it is written, as a JSON pointer into the bundle. */
  readonly pointer: string;
  readonly message: string;
}

/** @param contract the bundled document, extensions included */
export function findUnfounded(contract: unknown): UnfoundedFact[] {
  const facts = listSubjects(contract as Record<string, unknown>).flatMap(({ name, facts }) =>
    facts.filter(({ basis }) => basis === undefined).map((fact) => ({ name, ...fact })),
  );
  return facts.map(({ name, of, what, detail, pointer }) => {
    const place = [name, of].filter((part) => part !== '').join(', ');
    const subject = what === 'self' ? '' : ` (${[what, detail].filter((part) => part !== undefined).join(' ')})`;
    return { pointer, message: `${place}${subject}: say in x-basis that it is given, or which decisions it rests on.` };
  });
}
