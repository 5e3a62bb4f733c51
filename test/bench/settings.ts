/** The flags of the benchmark. */
import { parseArgs } from 'node:util';
import { type ServerName, serverNames } from './targets.ts';

export const usage = `Usage: npm run bench -- [options]

  --quick            one short round and 20 000 accounts instead of 1 000 000: half a minute, for a first impression
  --only A,B         only these servers: ${serverNames.join(', ')}
  --postgres         also the sandbox on PostgreSQL, from an npm package
  --rounds N         rounds of every cell, 3 unless told otherwise
  --seconds N        how long a round is, 3 unless told otherwise, after a third of it to warm up
  --many N           external accounts in the larger store, 1000000 unless told otherwise; 0 for none
  --starts N         starts of each kind, 5 unless told otherwise; 0 for none
  --sandbox FLAGS    flags for every sandbox that is started, in one word: --sandbox="--journal off"
  --record           keeps the run in latest.json and in the README; for a whole run alone
  --lists            instead: what each kind of filtered list costs, one request at a time
  --help             this text
`;

export interface Settings {
  readonly names: readonly ServerName[];
  readonly rounds: number;
  readonly seconds: number;
  readonly starts: number;
  /** How long a process has nothing to do before its memory is looked at. */
  readonly restSeconds: number;
  readonly many: number;
  readonly sandboxFlags: readonly string[];
  readonly record: boolean;
  readonly help: boolean;
}

/** Memory is much like the file, and PostgreSQL is another store: both when they are asked for. */
const usual = serverNames.filter((name) => name !== 'memory' && name !== 'postgres');

/** @throws Error that says what a flag takes. */
export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      postgres: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      many: { type: 'string' },
      starts: { type: 'string' },
      sandbox: { type: 'string', default: '' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, only, postgres, rounds, seconds, many, starts, sandbox, record, help } = values;
  const isCut = quick || [only, rounds, seconds, many, starts].some((value) => value !== undefined) || sandbox !== '';
  if (record && isCut) throw new Error('--record keeps a whole run: beside it goes --postgres and no other flag');
  const defaults = quick ? { rounds: 1, seconds: 0.7, many: 20_000 } : { rounds: 3, seconds: 3, many: 1_000_000 };
  const length = positive('--seconds', seconds, defaults.seconds);
  return {
    names: readNames(only, postgres),
    rounds: positive('--rounds', rounds, defaults.rounds),
    seconds: length,
    restSeconds: Math.min(3, length),
    many: many === '0' ? 0 : positive('--many', many, defaults.many),
    starts: starts === '0' ? 0 : positive('--starts', starts, quick || only !== undefined ? 1 : 5),
    sandboxFlags: sandbox.split(' ').filter((word) => word !== ''),
    record,
    help,
  };
}

function readNames(only: string | undefined, postgres: boolean): ServerName[] {
  const chosen = only?.split(',') ?? [...usual];
  const unknown = chosen.find((name) => !serverNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only takes ${serverNames.join(', ')}; "${unknown}" is none of them`);
  return serverNames.filter((name) => chosen.includes(name) || (postgres && name === 'postgres'));
}

function positive(flag: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (!(value > 0 && Number.isFinite(value)) || text === '')
    throw new Error(`${flag} takes a number above 0, not "${text}"`);
  return value;
}
