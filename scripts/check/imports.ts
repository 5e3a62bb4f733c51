/** Holds the imports of a project against its rules: `.dependency-cruiser.mjs`, with the table of rooms.ts. */
import { runTool } from '../lib/tool.ts';
import { findUnneeded, type ImportGraph } from './roomRules.ts';

/** A rule that an import breaks. */
export interface Violation {
  readonly rule: { readonly name: string };
  readonly comment?: string;
  readonly from: string;
  readonly to: string;
  /** For a circle of modules the rest of it. */
  readonly cycle?: readonly { readonly name: string }[];
}

/** All modules of the project, and what is wrong with their imports. */
export interface ImportReport extends ImportGraph {
  readonly summary: { readonly violations: readonly Violation[] };
}

/** @throws Error with what dependency-cruiser wrote, when it could not look. */
export async function readImports(root: string, folders: readonly string[]): Promise<ImportReport> {
  const args = ['--output-type', 'json', ...folders];
  const { stdout, output } = await runTool(['dependency-cruiser', 'depcruise'], args, root);
  if (!stdout.startsWith('{')) throw new Error(output);
  return JSON.parse(stdout) as ImportReport;
}

/** A sentence for each import against the rules, and for each that the table of rooms allows for nothing. */
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
