/** The flags of the benchmark. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineFlags, type Values } from '../../cli/command/command.ts';
import { WrongUse } from '../../cli/command/exit.ts';
import { given } from '../../mocks/sandbox/tools/given.ts';
import { type ServerName, serverNames } from './targets.ts';

export const benchFlags = defineFlags({
  quick: {
    type: 'boolean',
    does: 'one short round and 20 000 accounts instead of 1 000 000: half a minute, for a first impression',
  },
  only: { type: 'string', value: 'A,B', does: `only these servers: ${serverNames.join(', ')}` },
  postgres: { type: 'boolean', does: 'measure the sandbox on PostgreSQL too (from an npm package)' },
  beside: {
    type: 'string',
    value: 'DIR',
    does: 'measure the sandbox of another checkout too, where `npm ci` has run, and compare the two',
  },
  rounds: { type: 'string', value: 'N', does: 'rounds per server and exchange (default 3)' },
  seconds: { type: 'string', value: 'N', does: 'how long a round is (default 3), after a third of it to warm up' },
  many: { type: 'string', value: 'N', does: 'external accounts in the larger store (default 1000000); 0 for none' },
  starts: { type: 'string', value: 'N', does: 'starts of each kind (default 5); 0 for none, and no stalls' },
  sandbox: {
    type: 'string',
    value: 'FLAGS',
    default: '',
    does: 'flags for every sandbox, as one argument: --sandbox="--journal off"',
  },
  record: { type: 'boolean', does: 'save the run in latest.json and the README; only for a complete run' },
  lists: {
    type: 'boolean',
    does: 'measure filtered lists instead, one request at a time; uses --many, --few and --requests',
  },
  page: {
    type: 'boolean',
    does: 'measure the sandbox in a page of a real Chromium instead: its size, its start, its quotes',
  },
  few: { type: 'string', value: 'N', does: 'with --lists: accounts in the smaller store (default 1000)' },
  requests: { type: 'string', value: 'N', does: 'with --lists: measured requests per list and store (default 300)' },
});

export interface Settings {
  readonly names: readonly ServerName[];
  readonly rounds: number;
  readonly seconds: number;
  readonly starts: number;
  /** How long a process is idle before its memory is measured. */
  readonly restSeconds: number;
  readonly many: number;
  readonly sandboxFlags: readonly string[];
  /** The folder of another checkout. */
  readonly beside?: string;
  readonly record: boolean;
  readonly isQuick: boolean;
  /** Whether to measure stalls and many sandboxes too. */
  readonly isApart: boolean;
}

/** In memory is similar to the file, PostgreSQL is another store, and another checkout must be named. */
const onRequest: readonly ServerName[] = ['memory', 'postgres', 'beside', 'beside-postgres'];
const usual = serverNames.filter((name) => !onRequest.includes(name));

/** @throws WrongUse that says which values a flag takes. */
export function readSettings(values: Values<typeof benchFlags>): Settings {
  const { quick, only, postgres, beside, rounds, seconds, many, starts, sandbox, record } = values;
  const isCut = quick || [only, rounds, seconds, many, starts].some((value) => value !== undefined) || sandbox !== '';
  if (record && isCut)
    throw new WrongUse('--record keeps a whole run: with it go --postgres and --beside, and no other flag.');
  const defaults = quick ? { rounds: 1, seconds: 0.7, many: 20_000 } : { rounds: 3, seconds: 3, many: 1_000_000 };
  const length = positive('--seconds', seconds, defaults.seconds);
  return {
    names: readNames(only, postgres, beside),
    rounds: positive('--rounds', rounds, defaults.rounds),
    seconds: length,
    restSeconds: Math.min(3, length),
    many: many === '0' ? 0 : positive('--many', many, defaults.many),
    starts: starts === '0' ? 0 : positive('--starts', starts, quick || only !== undefined ? 1 : 5),
    sandboxFlags: sandbox.split(' ').filter((word) => word !== ''),
    record,
    isQuick: quick,
    isApart: starts !== '0',
    ...given({ beside: beside === undefined ? undefined : readCheckout(beside) }),
  };
}

/** The command for the record, without a folder of this machine. */
export function shownCommand(args: readonly string[]): string {
  const shown = args.map((arg, index) => {
    if (args[index - 1] === '--beside') return 'DIR';
    return arg.startsWith('--beside=') ? '--beside=DIR' : arg;
  });
  return ['npm run bench', ...(shown.length === 0 ? [] : ['--', ...shown])].join(' ');
}

/** @throws WrongUse if the folder isn't a checkout that can run. */
function readCheckout(folder: string): string {
  const path = resolve(folder);
  if (existsSync(join(path, 'openapi/openapi.yaml')) && existsSync(join(path, 'node_modules'))) return path;
  throw new WrongUse(`--beside takes a checkout of this project in which npm ci has run; ${path} isn't one.`);
}

function readNames(only: string | undefined, postgres: boolean, beside: string | undefined): ServerName[] {
  const chosen = only?.split(',') ?? [...usual];
  const unknown = chosen.find((name) => !serverNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new WrongUse(`--only takes ${serverNames.join(', ')}; "${unknown}" is none of them.`);
  const asked: ServerName[] = [];
  if (postgres) asked.push('postgres');
  if (beside !== undefined) asked.push('beside', ...(postgres ? (['beside-postgres'] as const) : []));
  const names = serverNames.filter((name) => chosen.includes(name) || asked.includes(name));
  const lonely = names.find((name) => name.startsWith('beside') && beside === undefined);
  if (lonely !== undefined) throw new WrongUse(`${lonely} needs --beside with the folder of the other checkout.`);
  return names;
}

export function positive(flag: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (!(value > 0 && Number.isFinite(value)) || text === '')
    throw new WrongUse(`${flag} takes a number above 0, not "${text}".`);
  return value;
}
