/**
 * Lists Redocly's findings in the sources of the contract. It drops duplicates and findings that follow from another.
 */
import { runTool } from '../lib/tool.ts';

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly {
    readonly source: { readonly ref: string };
    readonly pointer?: string;
    readonly start?: { readonly line: number; readonly col: number };
  }[];
  readonly suggest?: readonly string[];
}

/** Rules whose finding causes more findings at the same place: an invalid schema, a reference that leads nowhere. */
const causes = new Set(['struct', 'no-unresolved-refs', 'spec', 'parser']);

/**
 * Lints a contract and returns a line for each problem: `file:line:column message (rule)`.
 *
 * @returns no lines if there is no problem
 * @throws Error with the tool's output if it could not lint at all.
 */
export async function lintContract(root: string, file: string): Promise<string[]> {
  const { code, stdout, output } = await runTool(['@redocly/cli', 'redocly'], ['lint', file, '--format=json'], root);
  if (code === 0) return [];
  let problems: readonly Problem[];
  try {
    ({ problems } = JSON.parse(stdout) as { problems: readonly Problem[] });
  } catch {
    throw new Error(output.trim() || `redocly lint ended with ${code}`);
  }
  return withoutEchoes(problems);
}

/** Formats the findings. If there are causes, only the causes. */
export function withoutEchoes(problems: readonly Problem[]): string[] {
  const roots = problems.filter(({ ruleId }) => causes.has(ruleId));
  const shown = [...new Set((roots.length > 0 ? roots : problems).map(describe))];
  const hidden = new Set(problems.map(describe)).size - shown.length;
  return hidden === 0 ? shown : [...shown, `${hidden} more follow from ${shown.length === 1 ? 'it' : 'them'}`];
}

function describe({ ruleId, message, location, suggest = [] }: Problem): string {
  const [at] = location;
  const place = [at?.source.ref, at?.start?.line, at?.start?.col].filter((part) => part !== undefined).join(':');
  const hint = suggest.length === 0 ? '' : ` Did you mean ${suggest.join(' or ')}?`;
  return `${place} ${message.split('\n')[0]}${hint} (${ruleId})`;
}
