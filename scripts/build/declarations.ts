/**
 * Writes the package's type declarations: those of the public entries and of the modules that they import, and no
 * others.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

// Matches the path in an import or export: `from './types.ts'`, `import('./types.ts')`.
const relativePath = /((?:from|import\() ?')(\.[^']*)\.ts'/g;

/**
 * Writes `*.d.ts` below a folder. The compiler writes one for every module that it reads, including the whole sandbox.
 * Declarations that no entry imports are left out.
 *
 * @param entries source files, from the project's folder
 * @throws Error with the compiler's message. It doesn't check types: `npm run check` does.
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
      // The compiler keeps the ending `.ts` here. Older compilers don't resolve it in a declaration.
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
