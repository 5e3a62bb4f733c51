/** House rule R28: every fact of the contract is given, or rests on a decision. */
import { listSubjects } from '../../contract/basis/facts.ts';

/** A fact of the contract that doesn't say what it rests on. */
export interface UnfoundedFact {
  /** JSON pointer to the fact in the bundle. */
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
