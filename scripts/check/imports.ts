/** Checks the imports of a project against its rules: `.dependency-cruiser.mjs` and the table in rooms.ts. */
import { runTool } from '../lib/tool.ts';
import { findUnneeded, type ImportGraph } from './roomRules.ts';

/** An import that breaks a rule. */
export interface Violation {
  readonly rule: { readonly name: string };
  readonly comment?: string;
  readonly from: string;
  readonly to: string;
  /** The rest of the circle, if modules import each other in a circle. */
  readonly cycle?: readonly { readonly name: string }[];
}

/** All modules of the project, and the faults in their imports. */
export interface ImportReport extends ImportGraph {
  readonly summary: { readonly violations: readonly Violation[] };
}

/** @throws Error with dependency-cruiser's output if it could not check. */
export async function readImports(root: string, folders: readonly string[]): Promise<ImportReport> {
  const args = ['--output-type', 'json', ...folders];
  const { stdout, output } = await runTool(['dependency-cruiser', 'depcruise'], args, root);
  if (!stdout.startsWith('{')) throw new Error(output);
  return JSON.parse(stdout) as ImportReport;
}

/** A sentence for each forbidden import, and for each entry in the table of rooms that no import uses. */
export async function findForbiddenImports(root: string, folders: readonly string[]): Promise<string[]> {
  const graph = await readImports(root, folders);
  return [
    ...graph.summary.violations.map(describe),
    ...findUnneeded(graph).map((one) => `scripts/check/rooms.ts: ${one}`),
  ];
}

function describe({ rule: { name }, comment = '', from, to, cycle = [] }: Violation): string {
  const way = cycle.length === 0 ? to : cycle.map(({ name: module }) => module).join(', which imports ');
  return `${from} imports ${way} (${name}).${comment === '' ? '' : ` ${comment}`}`;
}
