/** Runs a command. All commands share these rules for help, wrong flags and exit codes. */
import type { Command, Context, Flags, Output } from './command.ts';
import { exitCodes, Finding, WrongUse } from './exit.ts';
import { findPackage, howToAdd } from './package.ts';
import { parse } from './parse.ts';
import { findSwallowed } from './swallowed.ts';

/**
 * Runs a command to its end. Never throws.
 * @param args what follows the command's name
 * @returns the exit code, or nothing if the command keeps running
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

/** Runs some work and reports its errors by the common rule. @param call what the user typed */
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

/** Errors of the system, such as a missing right. They aren't our fault, and their own message explains them. */
const refusedByMachine = /^(?:EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EISDIR|ENOTDIR|EEXIST)$/;

/** The message for an error that comes from the system or from a missing package. */
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

/** Writes to the output of this process. A reader such as `head` may close the pipe early. */
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

/** Runs a script of the repository as the main program of this process. */
export async function runScript<F extends Flags>(command: Command<F>): Promise<void> {
  process.exitCode = await runCommand(command, process.argv.slice(2), ownContext());
}
