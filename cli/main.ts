/** `countersign <command> …`: runs every command of this repository under one name. */
import type { Command, Context } from './command/command.ts';
import { exitCodes, WrongUse } from './command/exit.ts';
import { createProgram, readInto } from './command/parse.ts';
import { ownContext, runCommand, withExitCode } from './command/run.ts';
import { type Listed, listed } from './commands.ts';

/** Runs a command as the main program of this process. @param more what the entry file adds to the context */
export function main(more: Partial<Context>, args: readonly string[]): Promise<number | undefined> {
  return runCountersign(args, ownContext(more));
}

/** Runs the command that the first word names. @returns the exit code, or nothing if it keeps running */
export async function runCountersign(args: readonly string[], context: Context): Promise<number | undefined> {
  return withExitCode(context.output, 'countersign', async () => {
    const [first = '', second = ''] = args;
    const isHelp = first === 'help' && Object.hasOwn(listed, second);
    const name = isHelp ? second : first;
    if (!Object.hasOwn(listed, name)) return explain(args, context);
    const command = await load(name, listed[name] as Listed);
    return runCommand(command, isHelp ? ['--help'] : args.slice(1), context);
  });
}

/** Loads a command's definition, without what only its run needs. */
export async function load(name: string, { load: bring }: Listed): Promise<Command> {
  const command = await bring();
  if (command === undefined) {
    throw new WrongUse(
      `countersign ${name} works only in a clone of Countersign's repository. This package doesn't contain it.`,
    );
  }
  return command;
}

/** Handles a first word that isn't a command: shows the list of commands, or reports the mistake. */
function explain(args: readonly string[], { output }: Context): number {
  const program = createProgram('countersign', 'Runs the sandbox, and checks traffic and contracts', output);
  program.usage('<command> [options]').helpCommand('help <command>', 'what a command takes');
  for (const [name, { does, group, isThere }] of Object.entries(listed)) {
    if (isThere?.() === false) continue;
    program.command(name, { hidden: false }).description(does).helpGroup(group);
  }
  program.addHelpText('after', '\ncountersign <command> --help says more.');
  if (args.length === 0) {
    program.outputHelp({ error: true });
    return exitCodes.wrongUse;
  }
  // `help` before an unknown command is the same mistake as the unknown command alone.
  const words = args[0] === 'help' ? args.slice(1) : args;
  readInto(program, words.length === 0 ? ['--help'] : words, 'countersign --help lists the commands.');
  return exitCodes.fine;
}
