/** The declarations of the package: those of the public entries and what they lead to, and no others. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

// Matches the path in an import or export: `from './types.ts'`, `import('./types.ts')`.
const relativePath = /((?:from|import\() ?')(\.[^']*)\.ts'/g;

/**
 * Writes `*.d.ts` below a folder. The compiler writes one for each module that it reads, the whole sandbox included; what
 * no entry leads to is left out.
 *
 * @param entries source files, from the project's folder.
 * @throws Error with the compiler's words. Types are checked by `npm run check`, not here.
 */
export async function writeDeclarations(entries: readonly string[], folder: string): Promise<void> {
  const all = await mkdtemp(join(tmpdir(), 'countersign-types-'));
  try {
    const { code, output } = await runTool(['typescript-native', 'tsc'], ['-p', 'package', '--outDir', all]);
    if (code !== 0) throw new Error(output.trim());
    const waiting = entries.map((entry) => entry.replace(/\.ts$/, '.d.ts'));
    for (const path of waiting) {
      const text = await readFile(join(all, path), 'utf8');
      for (const [, , to = ''] of text.matchAll(relativePath)) {
        const next = join(dirname(path), `${to}.d.ts`);
        if (!waiting.includes(next)) waiting.push(next);
      }
      await mkdir(dirname(join(folder, path)), { recursive: true });
      // The compiler keeps `.ts` here, which older ones don't look up in a declaration.
      await writeFile(join(folder, path), text.replaceAll(relativePath, "$1$2.js'"));
    }
  } finally {
    await rm(all, { recursive: true });
  }
}

/** The source files that `package/tsconfig.json` lists. */
export async function readEntries(): Promise<string[]> {
  const { files } = JSON.parse(await readFile(join(projectRoot, 'package/tsconfig.json'), 'utf8')) as {
    files: string[];
  };
  return files.map((file) => join('package', file));
}
