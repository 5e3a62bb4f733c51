/**
 * `npm run diff -- [BASE]`: what has changed in the contract since its newest version or BASE, how much each change means to a client, and
 * whether `info.version` says so. Exit code 0 when the newer contract may stand, 1 on a breaking change without a new
 * version, 2 when the two could not be compared.
 */
import { parseArgs } from 'node:util';
import { operationsAt } from '../lib/places.ts';
import type { Change } from './change.ts';
import { correctedSubjects, parseChangelog, readChangelog } from './changelog.ts';
import { CannotCompare, compareContracts } from './compare.ts';
import { judge } from './compatibility.ts';
import { formats } from './report.ts';
import { type Bundle, defaultBase, readNamed, readNewestVersion, readWorkingTree } from './sources.ts';

const usage = `npm run diff -- [BASE] [--to REVISION] [--contract FILE] [--format text|json|github|changelog]

Compares two states of the contract and rates every change:
  breaking    a client of the older one can fail
  warning     what it does still fits, but may not mean or bring what it did
  compatible  it goes on as before
  none        words, examples

BASE, REVISION  a published version (2025-10-13), a git ref, or the path of an OpenAPI file (.json, .yaml).
                BASE is by default the newest version in versions/ beside the contract. If it keeps none: where this
                branch left origin/main, on main itself the commit before. REVISION is the working tree.
--contract      the contract's root document in the repository; openapi/openapi.yaml by default.
--format        changelog prints lines for the part Unreleased of the changelog.

Exit code 0: fine. 1: a breaking change, and info.version is no later date or not in the servers' addresses.
2: could not compare.`;

interface Options {
  readonly base: string | undefined;
  readonly to: string | undefined;
  readonly contract: string;
  readonly format: keyof typeof formats;
}

/** Reads the command line. Throws CannotCompare with the usage for one that makes no sense. */
function readOptions(args: string[]): Options | 'help' {
  const parsed = parse(args);
  const { help, format, to, contract } = parsed.values;
  if (help) return 'help';
  const [base, ...more] = parsed.positionals;
  if (more.length > 0) throw new CannotCompare(`One BASE, not ${parsed.positionals.length}.\n\n${usage}`);
  if (!Object.hasOwn(formats, format)) throw new CannotCompare(`There is no format ${format}.\n\n${usage}`);
  // An input of a workflow that was not given arrives as an empty word.
  return { base: base || undefined, to: to || undefined, contract, format: format as keyof typeof formats };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        to: { type: 'string' },
        contract: { type: 'string', default: 'openapi/openapi.yaml' },
        format: { type: 'string', default: 'text' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new CannotCompare(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** The older side, or undefined if nobody names one and there is none yet. */
async function readBase(root: string, { base, contract }: Options): Promise<Bundle | undefined> {
  if (base !== undefined) return readNamed(root, base, contract);
  const newest = await readNewestVersion(root, contract);
  if (newest !== undefined) return newest;
  const before = await defaultBase(root);
  return before === undefined ? undefined : readNamed(root, before, contract);
}

/** Does what the command line says, in the repository `root`, and answers what to print and the exit code. */
async function run(root: string, args: string[]): Promise<{ text: string; code: number }> {
  const options = readOptions(args);
  if (options === 'help') return { text: usage, code: 0 };
  const { to, contract, format } = options;
  const newer: Promise<Bundle> = to === undefined ? readWorkingTree(root, contract) : readNamed(root, to, contract);
  const [from, until] = await Promise.all([readBase(root, options), newer]);
  if (from === undefined) return { text: 'This is the first commit: there is nothing to compare with.', code: 0 };
  const found = await compareContracts(from.contract, until.contract);
  const changes = withPlaces(found, from, until);
  const corrected = correctedSubjects(parseChangelog(await readChangelog(root, contract)));
  const verdict = judge(from.contract, until.contract, changes, corrected);
  const text = formats[format]({ base: from.name, revision: until.name, changes, verdict });
  return { text, code: verdict.isFine ? 0 : 1 };
}

/** The changes with the operations they concern, and where to look. */
function withPlaces(changes: readonly Change[], from: Bundle, until: Bundle): Change[] {
  const [before, after] = [operationsAt(from.contract), operationsAt(until.contract)];
  return changes.map((change) => {
    const place = until.locate?.(change.pointer);
    const operations = [...new Set([...after(change.pointer), ...before(change.pointer)])];
    return { ...change, operations, ...(place !== undefined && { place }) };
  });
}

try {
  // npm runs a script in the project; the repository is where the user stood.
  const { text, code } = await run(process.env['INIT_CWD'] ?? process.cwd(), process.argv.slice(2));
  console.log(text);
  process.exitCode = code;
} catch (error) {
  console.error(error instanceof CannotCompare ? error.message : error);
  process.exitCode = 2;
}
