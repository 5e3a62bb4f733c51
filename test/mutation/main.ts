/** `npm run mutate -- --seed N --count N --file F --record`: plants faults and counts how many the tests find. */
import { writeFileSync } from 'node:fs';
import { defineCommand, defineFlags, type Values } from '../../cli/command/command.ts';
import { Finding, WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { randomFrom } from '../support/requests/random.ts';
import { findTargets, staleEquivalents } from './scope.ts';
import { type Fault, tryOut } from './tryOut.ts';

const goal = 0.95;

const flags = defineFlags({
  seed: {
    type: 'string',
    value: 'N',
    upTo: 2 ** 31 - 1,
    does: 'repeat the faults of this seed (default random, and printed)',
  },
  count: {
    type: 'string',
    value: 'N',
    upTo: Number.MAX_SAFE_INTEGER,
    default: 200,
    does: 'how many faults, some seconds each (default 200); 0 for all',
  },
  file: { type: 'string', value: 'F', default: '', does: 'only in files whose path contains F' },
  name: { type: 'string', value: 'T', default: '', does: 'only faults whose name contains T' },
  list: { type: 'boolean', does: 'print the faults and plant none' },
  record: { type: 'boolean', does: 'write the result to test/mutation/latest.md' },
});

export const command = defineCommand({
  name: 'mutate',
  call: 'npm run mutate',
  script: 'mutate',
  does: 'plant faults and count those that the tests find',
  about: `
Plants one fault at a time in a copy of the project, runs the tests that must find it, and lists the faults that no test
found.`,
  flags,
  examples: [
    ['', '200 random faults'],
    ['--list --file quotes/rules', 'the faults of a file'],
  ],
  ends: 'Exit codes: 0 the tests found more than 95 %, 1 fewer, 2 wrong use, 3 a fault of Countersign.',
  run: ({ flags: values }) => mutate(values),
});

function describeFault({ target, mutation }: Fault): string {
  return `${target.file}:${mutation.line} ${mutation.name}`;
}

async function mutate(values: Values<typeof flags>): Promise<number> {
  const { seed = Math.floor(Math.random() * 2 ** 31), count, file: path, name, list, record } = values;
  const stale = staleEquivalents();
  if (stale.length > 0)
    throw new Finding(`These entries of equivalents.ts name no existing mutation. Remove them:\n${stale.join('\n')}`);
  const all = findTargets()
    .filter(({ file }) => file.includes(path))
    .flatMap((target) => target.mutations.map((mutation) => ({ target, mutation })))
    .filter(({ mutation }) => mutation.name.includes(name))
    .map((fault, id): Fault => ({ ...fault, id }));
  const chosen = count === 0 || count >= all.length ? all : choose(all, count, seed);
  if (chosen.length === 0) throw new WrongUse(`No fault can be planted in --file ${path} --name ${name}.`);
  process.stdout.write(`seed ${seed}, ${chosen.length} of ${all.length} faults\n`);
  if (list) {
    process.stdout.write(`${chosen.map(describeFault).join('\n')}\n`);
    return 0;
  }
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const survivors: Fault[] = [];
  let done = 0;
  await tryOut(chosen, (fault, isNoticed) => {
    done += 1;
    if (!isNoticed) survivors.push(fault);
    process.stdout.write(`${done}/${chosen.length} ${isNoticed ? 'killed  ' : 'SURVIVED'} ${describeFault(fault)}\n`);
  });
  return report({ survivors, chosen, all, seed, record });
}

function choose(from: readonly Fault[], howMany: number, seed: number): Fault[] {
  const random = randomFrom(seed);
  const left = [...from.keys()];
  const taken = Array.from({ length: howMany }, () => left.splice(random.below(left.length), 1)[0] as number);
  return taken.sort((one, other) => one - other).map((index) => from[index] as Fault);
}

interface Outcome {
  readonly survivors: readonly Fault[];
  readonly chosen: readonly Fault[];
  readonly all: readonly Fault[];
  readonly seed: number;
  readonly record: boolean;
}

/** Prints the result, and records it if requested. @returns the exit code */
function report({ survivors, chosen, all, seed, record }: Outcome): number {
  const killed = chosen.length - survivors.length;
  const share = killed / chosen.length;
  const names = survivors.map(describeFault);
  process.stdout.write(`${names.map((name) => `survived: ${name}\n`).join('')}`);
  process.stdout.write(`${killed} killed, ${survivors.length} survived of ${chosen.length}\n`);
  const code = share > goal ? 0 : 1;
  if (!record) return code;
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
  process.stdout.write('  wrote test/mutation/latest.md\n');
  return code;
}

if (import.meta.main) await runScript(command);
