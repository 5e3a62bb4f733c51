/** `npm run mutate -- --seed N --count N --file F --record`: plants faults and counts how many the tests notice. */
import { writeFileSync } from 'node:fs';
import { giveUp, readFlags, wholeNumber } from '../../mocks/launch.ts';
import { randomFrom } from '../support/requests/random.ts';
import { findTargets, staleEquivalents } from './scope.ts';
import { type Fault, tryOut } from './tryOut.ts';

const usage = `Usage: npm run mutate -- [options]

Plants one fault at a time in a copy of the project, runs the tests that have to notice it, and lists the faults that
no test noticed. It ends with 1 when 95 % or fewer were noticed.

  --seed N    the faults to repeat; drawn and printed otherwise
  --count N   how many faults, some seconds each (default 200); 0 for all
  --file F    only in files whose path contains F
  --name T    only faults whose name contains T
  --list      print the faults and plant none
  --record    write the result to test/mutation/latest.md
  --help`;

const flags = readFlags(
  {
    seed: { type: 'string' },
    count: { type: 'string', default: '200' },
    file: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    list: { type: 'boolean' },
    record: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  usage,
);
const goal = 0.95;
const seed =
  flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('--seed', flags.seed, 2 ** 31 - 1);
const count = wholeNumber('--count', flags.count, Number.MAX_SAFE_INTEGER);

const describeFault = ({ target, mutation }: Fault): string => `${target.file}:${mutation.line} ${mutation.name}`;

const stale = staleEquivalents();
if (stale.length > 0) giveUp(`These entries of equivalents.ts name no mutation any more:\n${stale.join('\n')}`);
const all = findTargets()
  .filter(({ file }) => file.includes(flags.file))
  .flatMap((target) => target.mutations.map((mutation) => ({ target, mutation })))
  .filter(({ mutation }) => mutation.name.includes(flags.name))
  .map((fault, id): Fault => ({ ...fault, id }));
const chosen = count === 0 || count >= all.length ? all : choose(all, count);
if (chosen.length === 0) giveUp(`No fault can be planted in --file ${flags.file} --name ${flags.name}.`);
process.stdout.write(`seed ${seed}, ${chosen.length} of ${all.length} faults\n`);

if (flags.list === true) process.stdout.write(`${chosen.map(describeFault).join('\n')}\n`);
else await run();

async function run(): Promise<void> {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const survivors: Fault[] = [];
  let done = 0;
  await tryOut(chosen, (fault, isNoticed) => {
    done += 1;
    if (!isNoticed) survivors.push(fault);
    process.stdout.write(`${done}/${chosen.length} ${isNoticed ? 'killed  ' : 'SURVIVED'} ${describeFault(fault)}\n`);
  });
  report(survivors);
}

function choose(from: readonly Fault[], howMany: number): Fault[] {
  const random = randomFrom(seed);
  const left = [...from.keys()];
  const taken = Array.from({ length: howMany }, () => left.splice(random.below(left.length), 1)[0] as number);
  return taken.sort((one, other) => one - other).map((index) => from[index] as Fault);
}

function report(survivors: readonly Fault[]): void {
  const killed = chosen.length - survivors.length;
  const share = killed / chosen.length;
  const names = survivors.map(describeFault);
  process.stdout.write(`${names.map((name) => `survived: ${name}\n`).join('')}`);
  process.stdout.write(`${killed} killed, ${survivors.length} survived of ${chosen.length}\n`);
  process.exitCode = share > goal ? 0 : 1;
  if (flags.record !== true) return;
  const lines = [
    '# The recorded mutation run',
    '',
    'Written by `npm run mutate -- --record`; [README.md](README.md) says what it is.',
    '',
    '| date | seed | faults | of possible | killed | survived | share |',
    '|---|---|---|---|---|---|---|',
    `| ${new Date().toISOString().slice(0, 10)} | ${seed} | ${chosen.length} | ${all.length} | ${killed} | ${survivors.length} | ${(100 * share).toFixed(1)} % |`,
    '',
    ...(names.length === 0 ? ['No fault survived.'] : ['Survived:', '', ...names.map((name) => `- \`${name}\``)]),
    '',
  ];
  writeFileSync(new URL('latest.md', import.meta.url), lines.join('\n'));
}
