/** The house rules (openapi/README.md), as Spectral finds them broken in a bundle. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointerSegment } from '../../contract/pointer.ts';
import { runTool } from './tool.ts';

export interface BundleProblem {
  /** JSON Pointer into the bundle. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Lints a bundle. The linter reads a file, so it gets one, and nobody sees its name.
 *
 * @param bundle a contract as one JSON document
 * @param ruleset the rules; those of the interface's contract when absent
 * @throws Error with what the linter wrote if it could not run.
 */
export async function findBrokenHouseRules(bundle: string, ruleset = '.spectral.yaml'): Promise<BundleProblem[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-lint-'));
  try {
    const file = join(folder, 'openapi.json');
    await writeFile(file, bundle);
    const args = ['lint', file, '--ruleset', ruleset, '--fail-severity', 'warn', '--format', 'json', '--quiet'];
    const { code, stdout, output } = await runTool(['@stoplight/spectral-cli', 'spectral'], args);
    if (code === 0) return [];
    const problems = readResults(stdout);
    if (problems === undefined) throw new Error(output.trim().replaceAll(file, 'the bundle') || `exit code ${code}`);
    return problems;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Undefined if it isn't a list of results: the linter could not run. */
function readResults(text: string): BundleProblem[] | undefined {
  try {
    const results = JSON.parse(text) as { code: string; message: string; path: (string | number)[] }[];
    return results.map(({ code, message, path }) => ({
      pointer: path.map((key) => `/${pointerSegment(String(key))}`).join(''),
      message: `${code}: ${message}`,
    }));
  } catch {
    return undefined;
  }
}
