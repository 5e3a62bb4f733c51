/** Writes files of the project for the commands that make them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes the files whose text changed, and touches no other file.
 *
 * @param files the texts by their paths from the root
 * @returns the paths of the files that it wrote, in the given order
 */
export async function writeFiles(files: ReadonlyMap<string, string>, root: string): Promise<string[]> {
  const written: string[] = [];
  for (const [path, text] of files) {
    const file = join(root, path);
    const before = await readFile(file, 'utf8').catch(() => undefined);
    if (before === text) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    written.push(path);
  }
  return written;
}
