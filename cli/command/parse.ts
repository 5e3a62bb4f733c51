/**
 * Parses a command line by the definition of its command. Commander parses, writes the help and suggests corrections.
 */
import { CommanderError, Command as Program } from 'commander';
import type { Command, Flag, Flags, Output, Values } from './command.ts';
import { WrongUse } from './exit.ts';
import { readVersion } from './package.ts';

/** The command line after parsing. */
export interface Read<F extends Flags> {
  readonly flags: Values<F>;
  readonly words: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Parses the command line.
 *
 * @param args what follows the command's name
 * @returns the flags and words, or nothing if the user asked for the help or the version, which is then written
 * @throws WrongUse that suggests the nearest valid flag
 */
export function parse<F extends Flags>(
  command: Command<F>,
  args: readonly string[],
  env: Env,
  output: Output,
): Read<F> | undefined {
  const program = createProgram(command.call, command.does, output);
  for (const { name, does, isRequired, isRepeated } of command.words ?? []) {
    const inner = isRepeated ? `${name}...` : name;
    program.argument(isRequired ? `<${inner}>` : `[${inner}]`, does);
  }
  for (const [name, flag] of Object.entries(command.flags)) addFlag(program, name, flag, command.flags);
  if (command.about !== undefined) program.addHelpText('after', `\n${command.about.trim()}`);
  program.addHelpText('after', `\n${describeExamples(command)}`);
  program.addHelpText('after', `\n${command.ends ?? endings}`);
  const more = `${command.call} --help lists what it takes.`;
  if (!readInto(program, args, more, (option) => flagWithChoice(option, command.flags))) return undefined;
  const given = program.opts<Record<string, string | readonly string[] | true | undefined>>();
  const entries = Object.entries(command.flags).map(([name, flag]) => {
    const attribute = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [name, readFlag(name, flag, given[attribute], env)];
  });
  return { flags: Object.fromEntries(entries) as Values<F>, words: program.args };
}

/** The exit codes in the help of a command that adds nothing to the rule. */
const endings = 'Exit codes: 0 fine, 1 findings, 2 wrong use, 3 a fault of Countersign.';

/** A Commander program that writes to `output`, never ends the process, and suggests corrections. */
export function createProgram(call: string, does: string, output: Output): Program {
  return new Program(call)
    .description(`${does.charAt(0).toUpperCase()}${does.slice(1)}.`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.stdout(text),
      writeErr: (text) => output.stderr(text),
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      // Commander checks NO_COLOR and the terminal itself. Our help texts have no colours.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption('-h, --help', 'say this')
    .version(readVersion(), '--version', 'say which version this is')
    .allowExcessArguments(false);
}

/**
 * Parses the arguments.
 *
 * @param meant what an unknown option may have meant, if Commander knows no flag of a similar name
 * @returns whether to go on
 * @throws WrongUse, with `more` after the message
 */
export function readInto(
  program: Program,
  args: readonly string[],
  more: string,
  meant: (option: string) => string | undefined = () => undefined,
): boolean {
  try {
    program.parse([...args], { from: 'user' });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return false;
    const message = error.message.replace(/^error: /, '').replace(/\n\((Did you mean .*)\)$/, '. $1');
    const sentence = message.charAt(0).toUpperCase() + message.slice(1);
    const [, option] = /^unknown option '--([^'=]+)'$/.exec(message) ?? [];
    const instead = option === undefined ? undefined : meant(option);
    const hint = instead === undefined ? '' : `. Did you mean ${instead}?`;
    throw new WrongUse(`${sentence}${hint}${/[.?]$/.test(sentence + hint) ? '' : '.'}\n${more}`);
  }
}

/** Other commands have a flag for each format: `--json` is `--format json` here. */
function flagWithChoice(option: string, flags: Flags): string | undefined {
  const found = Object.entries(flags).find(([, { choices }]) => choices?.includes(option) === true);
  return found === undefined ? undefined : `--${found[0]} ${option}`;
}

function addFlag(program: Program, name: string, flag: Flag, all: Flags): void {
  const says = withVariable(flag);
  if (flag.type === 'boolean') {
    program.option(`--${name}`, says);
    return;
  }
  program.option(`--${name} <${flag.value ?? 'VALUE'}>`, says, (text, before: string[] | string | undefined) => {
    const [, mistaken] = /^--([^=]+)/.exec(text) ?? [];
    if (mistaken !== undefined && (mistaken in all || mistaken === 'help')) {
      throw new WrongUse(`--${name} needs a value, and --${mistaken} follows it.`);
    }
    return flag.multiple === true ? [...(Array.isArray(before) ? before : []), text] : text;
  });
}

/** Writes a flag's description with its variable: `port to listen on (default 4010; PORT)`. */
function withVariable({ does, env }: Flag): string {
  if (env === undefined) return does;
  return does.endsWith(')') ? `${does.slice(0, -1)}; ${env})` : `${does} (${env})`;
}

function readFlag(name: string, flag: Flag, given: string | readonly string[] | true | undefined, env: Env): unknown {
  if (flag.type === 'boolean') return given === true;
  const fromEnv = flag.env === undefined ? undefined : env[flag.env];
  const isOfEnv = given === undefined && fromEnv !== undefined;
  const from = isOfEnv ? (flag.env as string) : `--${name}`;
  if (flag.multiple === true) {
    const values = isOfEnv ? fromEnv.split(/[\s,]+/).filter((item) => item !== '') : ((given ?? []) as string[]);
    return values.map((text) => readValue(from, flag, text));
  }
  const text = (isOfEnv ? fromEnv : given) as string | undefined;
  return text === undefined ? flag.default : readValue(from, flag, text);
}

function readValue(from: string, { choices, upTo }: Flag, text: string): string | number {
  if (choices !== undefined && !choices.includes(text)) {
    throw new WrongUse(`${from} takes ${listOf(choices.filter((choice) => choice !== ''))}, not "${text}".`);
  }
  if (upTo === undefined) return text;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > upTo) {
    throw new WrongUse(`${from} takes a whole number from 0 to ${upTo}, not "${text}".`);
  }
  return value;
}

function describeExamples({ call, examples }: Pick<Command, 'call' | 'examples'>): string {
  // npm takes flags before `--` for its own settings.
  const start = call.startsWith('npm ') ? `${call} --` : call;
  const lines = examples.map(([typed, does]) => [`  ${typed === '' ? call : `${start} ${typed}`}`, does] as const);
  const width = Math.max(...lines.map(([typed]) => typed.length));
  return [
    lines.length === 1 ? 'Example:' : 'Examples:',
    ...lines.map(([typed, does]) => `${typed.padEnd(width)}  ${does}`),
  ].join('\n');
}

/** Joins words: `a, b or c`. */
function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
