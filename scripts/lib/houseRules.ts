/** Checks a bundle against the house rules (openapi/README.md) with Spectral. */
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
 * Lints a bundle. The linter needs a file, so this writes a temporary one, whose name appears nowhere.
 *
 * @param bundle a contract as one JSON document
 * @param ruleset the rules; by default those of the interface's contract
 * @throws Error with the linter's output if it could not run.
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

/** Undefined if the output isn't a list of results, because the linter could not run. */
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
