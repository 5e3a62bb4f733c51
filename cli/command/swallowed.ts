/** The forgotten `--`: npm takes a script's flags for its own settings, and the script never sees them. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command, Flags } from './command.ts';
import { packageFolder } from './package.ts';

/** Flags of ours that npm has settings for by the same name: that such a one is set says nothing. */
export const settingsOfNpm: ReadonlySet<string> = new Set(['name', 'only']);

/**
 * Says what to type if npm swallowed flags of the command: `npm start --port 4162` arrives without them, and npm hands
 * them on as `npm_config_port`. Only in a script of our own repository that was run for this command: other variables of
 * that kind are somebody else's.
 *
 * @param args what arrived; npm leaves the value of a flag that it doesn't know behind as a word
 * @returns undefined if nothing was swallowed
 */
export function findSwallowed<F extends Flags>(
  { script, flags }: Command<F>,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { npm_lifecycle_event: event, npm_package_json: manifest } = env;
  if (event !== script || manifest === undefined || !isOurs(manifest)) return undefined;
  const left = args.filter((word) => !word.startsWith('-'));
  const found = Object.entries(flags).flatMap(([flag, { type, value = 'VALUE' }]) => {
    const set = env[`npm_config_${flag.replaceAll('-', '_')}`];
    if (set === undefined || set === '' || settingsOfNpm.has(flag)) return [];
    return [{ flag, type, value, set }];
  });
  if (found.length === 0) return undefined;
  const unknown = found.filter(({ type, set }) => type === 'string' && set === 'true');
  const typed = found.map(({ flag, type, value, set }) => {
    if (type === 'boolean') return `--${flag}`;
    if (set !== 'true') return `--${flag} ${set.split('\n\n').join(` --${flag} `)}`;
    return `--${flag} ${unknown.length === 1 && left.length === 1 ? left[0] : value}`;
  });
  const names = found.map(({ flag }) => `--${flag}`).join(' and ');
  return `npm kept ${names} for itself. Flags of the command go behind two dashes: ${script === 'start' ? 'npm start' : `npm run ${script}`} -- ${typed.join(' ')}`;
}

function isOurs(manifest: string): boolean {
  try {
    return realpathSync(dirname(manifest)) === realpathSync(packageFolder());
  } catch {
    return false;
  }
}
