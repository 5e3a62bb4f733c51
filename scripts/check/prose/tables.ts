/**
 * Checks the tables of suffixes in prose. Each must list every suffix of the sandbox's table, with its statuses,
 * reasons, times and money.
 */
import {
  beneficiaryChecks,
  beneficiaryFound,
  endings,
  identityChecks,
  identityFound,
  type Outcome,
  quoteOutcomes,
  success,
  transferOutcomes,
  umaReceivers,
  unknownUmaReceiver,
} from '../../../mocks/sandbox/payments/outcomes.ts';

/** The expected content of a table's row. */
interface Row {
  /** Statuses and reasons, in capitals. */
  readonly words: readonly string[];
  readonly seconds?: number | undefined;
  /** Whether money that had left comes back. */
  readonly isReturned: boolean;
}

interface Known {
  readonly name: 'quotes' | 'transfers' | 'beneficiaries' | 'identities' | 'receivers';
  readonly rows: Readonly<Record<string, Row>>;
  /** The result for any other suffix. Only for this row a receiver must be named. */
  readonly otherwise?: Row;
}

const ofOutcome = ({ status, failureReason, later, refund }: Outcome): Row => {
  const ending = later && endings[later.pending];
  return {
    words: [
      status,
      failureReason,
      ending?.status,
      ending && 'failureReason' in ending ? ending.failureReason : '',
    ].filter((word) => word !== undefined && word !== '') as string[],
    seconds: later && later.afterMs / 1000,
    isReturned: refund?.status === 'COMPLETED' || later?.pending === 'RETURN' || later?.pending === 'TIME_OUT',
  };
};
const ofStatus = (status: string): Row => ({ words: [status], isReturned: false });
const rowsOf = <T>(table: Readonly<Record<string, T>>, row: (value: T) => Row): Record<string, Row> =>
  Object.fromEntries(Object.entries(table).map(([suffix, value]) => [suffix, row(value)]));

const known: readonly Known[] = [
  { name: 'quotes', rows: rowsOf(quoteOutcomes, ofOutcome), otherwise: ofOutcome(success) },
  { name: 'transfers', rows: rowsOf(transferOutcomes, ofOutcome), otherwise: ofOutcome(success) },
  { name: 'beneficiaries', rows: rowsOf(beneficiaryChecks, ofStatus), otherwise: ofStatus(beneficiaryFound) },
  { name: 'identities', rows: rowsOf(identityChecks, ofStatus), otherwise: ofStatus(identityFound) },
  {
    name: 'receivers',
    rows: {
      ...rowsOf(umaReceivers, ({ currency, outcome }) => ({
        ...ofOutcome(outcome),
        words: [currency, ...ofOutcome(outcome).words],
      })),
      [unknownUmaReceiver]: { words: [], isReturned: false },
    },
  },
];

/** Tables whose rows begin with a suffix or a UMA address, each with the paragraph before it. */
const table = /(?:^|\n)([^\n|][^\n]*(?:\n[^\n|][^\n]*)*\n\n)?((?:[ \t]*\|[^\n]*(?:\n|$)){3,})/g;
const times: readonly [RegExp, number][] = [
  [/\b(?:six|6) minutes\b/, 360],
  [/\b30 seconds\b/, 30],
];

/** One phrase for each row that is missing, is extra, or contradicts the sandbox. */
export function findFalseRows(text: string): string[] {
  return [...text.matchAll(table)].flatMap(([, before = '', rows = '']) => {
    const cells = rows
      .trim()
      .split('\n')
      .slice(2)
      .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .map(([, first = '', ...rest]) => [first.replaceAll('`', ''), rest.join(' | ')] as const);
    const suffixes = cells.map(([first]) => first).filter((first) => /^([01]\d\d|\$[\w.]+)$/.test(first));
    return suffixes.length < 2 ? [] : compare(before, new Map(cells), suffixes);
  });
}

function compare(before: string, cells: ReadonlyMap<string, string>, suffixes: readonly string[]): string[] {
  const shared = ({ rows }: Known): number =>
    suffixes.filter((suffix) => suffix in rows).length * 100 - Object.keys(rows).length;
  const [model] = known.toSorted((a, b) => shared(b) - shared(a));
  if (model === undefined) return [];
  const missing = Object.keys(model.rows).filter((suffix) => !suffixes.includes(suffix));
  const strange = suffixes.filter((suffix) => !(suffix in model.rows));
  const last = cells.get('anything else');
  return [
    ...missing.map((suffix) => `the table of ${model.name} lacks ${suffix}`),
    ...strange.map((suffix) => `the table of ${model.name} has ${suffix}, which selects nothing`),
    ...(model.name === 'transfers' && /\bquote/i.test(before) ? ['a table of transfers is not one of quotes'] : []),
    ...Object.entries(model.rows).flatMap(([suffix, row]) => faultsOf(suffix, row, cells.get(suffix))),
    ...(model.otherwise === undefined ? [] : faultsOf('anything else', model.otherwise, last)),
  ];
}

function faultsOf(suffix: string, row: Row, said: string | undefined): string[] {
  if (said === undefined) return [];
  const lacks = row.words.filter((word) => !said.includes(word)).map((word) => `${suffix} lacks ${word}`);
  const seconds = times.find(([form]) => form.test(said))?.[1];
  return [
    // A text may just say that a payment succeeds or fails.
    ...lacks.filter(() => !/succeeds|fails/.test(said)),
    ...(seconds === row.seconds ? [] : [`${suffix} takes ${row.seconds ?? 0} seconds, not ${seconds ?? 0}`]),
    ...(/\bback\b|refund COMPLETED/.test(said) && !row.isReturned ? [`with ${suffix} no money comes back`] : []),
  ];
}
