/** Bundles a contract from many files. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from './tool.ts';

/**
 * Bundles a contract into one JSON document.
 *
 * @param root the folder that the source's path is relative to
 * @throws Error with the bundler's report.
 */
export async function bundleContract(root: string, source = 'openapi/openapi.yaml'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bundle-'));
  try {
    const file = join(folder, 'openapi.json');
    const { code, output } = await runTool(
      ['@redocly/cli', 'redocly'],
      // Without the last option, two files with the same name silently become `Status` and `Status-2`.
      ['bundle', source, '--output', file, '--component-renaming-conflicts-severity', 'error'],
      root,
    );
    if (code !== 0) throw new Error(`${source} does not bundle.\n${output.trim()}`);
    return `${JSON.stringify(JSON.parse(await readFile(file, 'utf8')), null, 2)}\n`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
