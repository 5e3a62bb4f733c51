/** Detects a forgotten `--`: npm then takes a script's flags for its own settings, and the script never sees them. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command, Flags } from './command.ts';
import { packageFolder } from './package.ts';

/** Flags of ours that share a name with a setting of npm. Such a setting doesn't prove that npm swallowed our flag. */
export const settingsOfNpm: ReadonlySet<string> = new Set(['name', 'only']);

/**
 * Tells the user what to type if npm swallowed flags of the command. `npm start --port 4162` arrives without the flag,
 * and npm sets `npm_config_port` instead. Only a script of our own repository that runs this command counts: anywhere
 * else, something else set such a variable.
 *
 * @param args what arrived; if npm doesn't know a flag, it leaves the flag's value behind as a word
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
