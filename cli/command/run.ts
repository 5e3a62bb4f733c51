/** Runs a command: the one rule of help, wrong flags and exit codes, for everything that a user can type. */
import type { Command, Context, Flags, Output } from './command.ts';
import { exitCodes, Finding, WrongUse } from './exit.ts';
import { findPackage, howToAdd } from './package.ts';
import { parse } from './parse.ts';
import { findSwallowed } from './swallowed.ts';

/**
 * Runs a command to its end.
 * @param args what follows its name
 * @returns the exit code, or nothing while it goes on running. It never throws.
 */
export async function runCommand<F extends Flags>(
  command: Command<F>,
  args: readonly string[],
  context: Context,
): Promise<number | undefined> {
  const { output, env, refusesNode } = context;
  return withExitCode(output, command.call, async () => {
    const swallowed = findSwallowed(command, args, env);
    if (swallowed !== undefined) throw new WrongUse(swallowed);
    const read = parse(command, args, env, output);
    if (read === undefined) return exitCodes.fine;
    if (refusesNode !== undefined && command.anyNode !== true) throw new WrongUse(refusesNode(command.name));
    const missing = command.needs?.filter((name) => findPackage(name) === undefined) ?? [];
    if (missing.length > 0) {
      throw new WrongUse(`${command.call} needs ${missing.join(' and ')}. Add it: ${howToAdd(missing)}`);
    }
    return command.run({ ...context, ...read, typed: args });
  });
}

/** Does some work, and says what went wrong by the rule. @param call what was typed */
export async function withExitCode(
  output: Output,
  call: string,
  work: () => Promise<number | undefined>,
): Promise<number | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Finding) {
      output.stderr(`${error.message}\n`);
      return error instanceof Finding ? exitCodes.findings : exitCodes.wrongUse;
    }
    const refusal = describeRefusal(call, error);
    output.stderr(refusal ?? describeOurFault(call, error));
    return refusal === undefined ? exitCodes.ourFault : exitCodes.wrongUse;
  }
}

/** What the machine refuses: no fault of ours, and in its own words. */
const refusedByMachine = /^(?:EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EISDIR|ENOTDIR|EEXIST)$/;

/** What to say if the error comes from the machine, or from a package that is missing. */
function describeRefusal(call: string, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', message }: NodeJS.ErrnoException = error;
  if (refusedByMachine.test(code)) return `${message}\n`;
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return undefined;
  return `${call} needs ${name}. Add it: ${howToAdd([name])}\n`;
}

function describeOurFault(call: string, error: unknown): string {
  const { stack = '' } = error instanceof Error ? error : new Error(String(error));
  return `${call} failed, and that is a fault of Countersign. Report it with this:\nNode ${process.versions.node}, ${stack}\n`;
}

/** Output of the process itself. A reader such as `head` may close the pipe early. */
function ownOutput(): Output {
  process.stdout.on('error', () => process.exit(exitCodes.wrongUse));
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  };
}

/** The context of this process. */
export function ownContext(more: Partial<Context> = {}): Context {
  return { output: ownOutput(), env: process.env, ...more };
}

/** Runs a script of the repository as the process that it was started as. */
export async function runScript<F extends Flags>(command: Command<F>): Promise<void> {
  process.exitCode = await runCommand(command, process.argv.slice(2), ownContext());
}
