/** The text that the sandbox prints when it is ready. It shows only addresses that answer and files that exist. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { packageFolder } from '../cli/command/package.ts';

export interface Ready {
  /** The base address, including the version. */
  readonly base: string;
  /** Client id and secret, in curl's format. */
  readonly user: string;
  /** Redeem it once to connect an agent; undefined if the world doesn't have it. */
  readonly deviceCode: string | undefined;
  /** Where the state is: the kind of place, and its name. */
  readonly place: readonly [kind: string, name: string];
  readonly world: string | undefined;
  /** As the flag says; undefined without it. */
  readonly proofs: 'magic' | 'real' | undefined;
  readonly hasJournal: boolean;
  readonly hasReference: boolean;
  readonly hasConsole: boolean;
}

/** The text for a person at a terminal. */
export function describeReady(ready: Ready): string {
  const { base, user, deviceCode, place, world, proofs, hasJournal, hasReference, hasConsole } = ready;
  const control = new URL('/__sandbox', base).href;
  const guide = findGuide();
  const rows: readonly (readonly [name: string, text: string] | undefined)[] = [
    ['credentials', `${user}   (HTTP Basic)`],
    ['try', `curl -u ${user} ${base}/customers`],
    deviceCode === undefined ? undefined : ['agent', `POST ${base}/agents/device-codes/${deviceCode}/redeem   (once)`],
    place,
    world === undefined ? undefined : ['world', `${world}; an older data file keeps its data until a reset`],
    [
      'codes',
      `${control}/outbox   (${proofs === 'real' ? 'the one-time codes that were sent' : 'in magic proofs, the default, a code is always 000000'})`,
    ],
    ['clock', `${control}/clock`],
    ['faults', `${control}/faults`],
    hasJournal ? ['journal', `${control}/journal`] : undefined,
    hasConsole ? ['console', new URL('/console', base).href] : undefined,
    hasReference ? ['reference', new URL('/reference', base).href] : undefined,
    ['contract', new URL('/openapi.json', base).href],
    ['start page', new URL('/', base).href],
    guide === undefined ? undefined : ['guide', guide],
  ];
  const lines = rows.flatMap((row) => (row === undefined ? [] : [`  ${row[0].padEnd(13)} ${row[1]}`]));
  return `Countersign sandbox is ready at ${base}\n\n${lines.join('\n')}\n`;
}

/** The path of the README, if it exists. */
function findGuide(): string | undefined {
  const guide = join(packageFolder(), 'README.md');
  return existsSync(guide) ? fromHere(guide) : undefined;
}

/** The path relative to the current folder if it is inside it, otherwise the absolute path. */
function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}
