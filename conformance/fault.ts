/** Describes a fault of ours, so that a user can report it. */
import { version } from '../generated/operations.ts';

/**
 * Says what went wrong on our side. It leaves out the error's own message, because that may quote a body and so a
 * secret.
 * @param what couldn't be done, as the beginning of a sentence.
 */
export function describeFault(what: string, error: unknown): { readonly message: string; readonly remedy: string } {
  const { name, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  // The paths of this machine are private.
  const places = frames.slice(0, 6).map((line) => line.trim().replace(/(?:file:\/\/)?\/\S*\/(?=[^/\s]+$)/, ''));
  const facts = [`contract ${version}`, `Node ${process.versions.node}`, [name, ...places].join(' ')];
  return { message: `${what}: this is a bug in Countersign`, remedy: `Report it with this: ${facts.join(', ')}` };
}
