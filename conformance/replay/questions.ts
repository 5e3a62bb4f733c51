/** Lists the differences as questions for the service's owner: `countersign replay --questions`. */
import { type Basis, describeBasis } from '../basis.ts';
import type { Finding, Report, Unreadable, Write } from '../report/report.ts';
import type { ReplaySummary } from './summary.ts';

/** A question: all differences of one kind in one place. */
export interface Question {
  readonly operationId: string | null;
  readonly at: string;
  readonly rule: string;
  /** The basis of the sandbox's behaviour. */
  readonly basis: Basis;
  readonly recorded?: unknown;
  readonly ours?: unknown;
  /** The difference in the first entry. */
  readonly message: string;
  /** All entries with this difference. */
  readonly entries: { readonly file: string; readonly index: number }[];
}

/** Collects the questions. Questions with the same basis stand together. */
function createQuestions() {
  const questions = new Map<string, Question>();
  return {
    add(finding: Finding): void {
      const { operationId, pointer, rule, basis, message, file, entry } = finding;
      const at = [finding.in, pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')].filter((part) => part !== '').join(' ');
      const key = JSON.stringify([describeBasis(basis), operationId, at, rule]);
      const found = questions.get(key) ?? { ...sidesOf(finding), operationId, at, rule, basis, message, entries: [] };
      found.entries.push({ file, index: entry.index });
      questions.set(key, found);
    },
    sorted: (): Question[] => [...questions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, question]) => question),
  };
}

function sidesOf(finding: Finding): Pick<Finding, 'recorded' | 'ours'> {
  const { recorded, ours } = finding;
  return { ...(recorded === undefined ? {} : { recorded }), ...(ours === undefined ? {} : { ours }) };
}

/** For people: lists the differences under each decision. */
export function createQuestionsText(write: Write): Report<ReplaySummary> {
  const questions = createQuestions();
  return {
    finding: questions.add,
    unreadable: ({ file, message, remedy }) => write(`${file} ${message}. ${remedy}\n`),
    end() {
      const list = questions.sorted();
      let heading = '';
      for (const question of list) {
        const next = headingOf(question.basis);
        if (next !== heading) write(`${heading === '' ? '' : '\n'}${next}\n`);
        heading = next;
        const [first] = question.entries;
        const more = question.entries.length === 1 ? '' : `, ${question.entries.length} times`;
        const where = `${first?.file}, entry ${first?.index}${more}`;
        write(`- ${question.operationId ?? 'no operation'}, ${question.at}: ${question.message} (${where})\n`);
      }
      write(`${list.length === 0 ? '' : '\n'}${list.length} ${list.length === 1 ? 'question' : 'questions'}.\n`);
    },
  };
}

function headingOf(basis: Basis): string {
  if (basis.level === 'given') return 'The interface names it, and the recording says otherwise. Which holds?';
  const decisions = basis.decisions.map(({ id, title }) => `${id} ${title}`.trim()).join(', ');
  return `The interface is silent, and we decided it: ${decisions}. What is the rule?`;
}

/** For a program: `{questions: [Question], unreadable: [Unreadable], summary: ReplaySummary}`. */
export function createQuestionsJson(write: Write): Report<ReplaySummary> {
  const questions = createQuestions();
  const unreadable: Unreadable[] = [];
  return {
    finding: questions.add,
    unreadable: (one) => void unreadable.push(one),
    end: (summary) => write(`${JSON.stringify({ questions: questions.sorted(), unreadable, summary }, null, 2)}\n`),
  };
}
