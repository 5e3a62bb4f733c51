import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from '../../../scripts/lib/project.ts';

/** What Node loads together with some modules, without dynamic imports. */
export interface Loaded {
  /** Our own modules, by their paths from the root. */
  readonly files: readonly string[];
  /** Everything else that they import: packages and modules of Node. */
  readonly others: readonly string[];
}

/** Follows the imports of values from these files, by their paths from the root. */
export function loadedWith(...starts: readonly string[]): Loaded {
  const seen = new Map<string, readonly string[]>();
  for (const start of starts) follow(join(projectRoot, start), seen);
  const names = [...seen.values()].flat();
  return {
    files: [...seen.keys()].map((file) => relative(projectRoot, file).replaceAll('\\', '/')).sort(),
    others: [...new Set(names.filter((name) => !name.startsWith('.')))].sort(),
  };
}

function follow(file: string, seen: Map<string, readonly string[]>): void {
  if (seen.has(file)) return;
  const text = readFileSync(file, 'utf8');
  const names = [...text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)'/gm)].map(
    ([, name = '']) => name,
  );
  seen.set(file, names);
  for (const name of names) if (name.startsWith('.') && name.endsWith('.ts')) follow(join(dirname(file), name), seen);
}
