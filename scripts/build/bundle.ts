/** The JavaScript of the package: our modules and what they import, in few files (rolldown). */
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type OutputChunk, type RolldownOptions, rolldown } from 'rolldown';
import { projectRoot } from '../lib/project.ts';
import { externalPackages } from './packages.ts';

/** What users import or run, by the name of its file in `dist/`. */
interface Part {
  readonly platform: 'browser' | 'node';
  readonly entries: Readonly<Record<string, string>>;
}

/**
 * Two parts that share no file: what an app imports must not lead to a file that only Node can load. A new entry is a line
 * here; its file has to lie right below a folder of `dist/` (contract/root.ts).
 */
const parts: readonly Part[] = [
  {
    platform: 'browser',
    entries: {
      'package/index': 'package/index.ts',
      'package/control': 'package/control.ts',
      'client/index': 'client/index.ts',
    },
  },
  { platform: 'node', entries: { 'package/sandbox': 'package/sandbox.ts', 'cli/main': 'cli/main.ts' } },
];

/**
 * Writes the JavaScript of every entry into a folder.
 *
 * @returns the paths of all modules that went into it.
 * @throws Error with rolldown's words, also for what is only a warning: a module that isn't found would be left out.
 */
export async function writeBundles(folder: string): Promise<ReadonlySet<string>> {
  const chunks = await Promise.all(parts.map((part) => writePart(part, folder)));
  return new Set(chunks.flat().flatMap(({ moduleIds }) => moduleIds));
}

async function writePart({ platform, entries }: Part, folder: string): Promise<OutputChunk[]> {
  const options: RolldownOptions = {
    cwd: projectRoot,
    input: { ...entries },
    platform,
    external: (name) => isBuiltin(name) || externalPackages.some((one) => name === one || name.startsWith(`${one}/`)),
    // Node 20 runs the types, the client and `check`.
    transform: { target: 'es2023' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  };
  const bundle = await rolldown(options);
  const { output } = await bundle.write({
    dir: join(folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${platform === 'node' ? 'sandbox' : 'client'}/[name]-[hash].js`,
    // Bundlers of apps read the annotations; licences are in a file of their own (licences.ts).
    comments: { legal: false, jsdoc: false, annotation: true },
  });
  await bundle.close();
  return output.filter((file) => file.type === 'chunk');
}
