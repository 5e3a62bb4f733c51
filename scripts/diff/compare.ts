/** Compares two bundles with `redocly diff`. It adds what that tool overlooks and corrects its ratings. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointerSegment } from '../../contract/pointer.ts';
import type { ContractDocument, Operation } from '../lib/contract.ts';
import { projectRoot } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';
import { canonical, writtenPlace } from './canonical.ts';
import { type Change, levels } from './change.ts';
import { compareExamplesAndExtensions } from './examplesAndExtensions.ts';
import { pointerKeys, valueAt } from './json.ts';
import { rate, type ToolChange } from './rate.ts';
import { waysOf } from './uses.ts';

/** Why two contracts could not be compared, and what to do about it. The message is shown on the command line. */
export class CannotCompare extends Error {}

/**
 * The differences, worst first. If operations share the changed part, it is listed once.
 *
 * @param base the older bundle: references inside the document only
 * @param revision the newer one
 * @throws CannotCompare if the tool can't read one of them.
 */
export async function compareContracts(base: ContractDocument, revision: ContractDocument): Promise<Change[]> {
  const older = waysOf(base);
  const newer = waysOf(revision);
  const [before, after] = [canonical(base), canonical(revision)];
  const found = (await askTool(before, after)).filter(isForTool).map((change): Change => {
    const isGone = change.kind === 'removed';
    const place = placeOf(change, isGone ? base : revision);
    const { level, correction, says } = rate(change, {
      pointer: place,
      ways: (isGone ? older : newer)(place),
      base: before,
    });
    const what = says ? `${describe(change)}: ${says}` : describe(change);
    return {
      level,
      subject: subjectOf(place, isGone ? base : revision),
      pointer: place,
      what,
      ...(correction !== undefined && { correction }),
    };
  });
  const beside = compareExamplesAndExtensions(base, revision).map((change) => ({
    ...change,
    subject: subjectOf(change.pointer, valueAt(revision, change.pointer) === undefined ? base : revision),
  }));
  // What operations share was compared once per operation.
  const once = new Map([...found, ...beside].map((change) => [`${change.pointer} ${change.what}`, change]));
  return [...once.values()].toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}

/** Runs `redocly diff` on two documents and returns its changes unfiltered. */
export async function askTool(base: unknown, revision: unknown): Promise<ToolChange[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-diff-'));
  try {
    const [older, newer, report] = ['base.json', 'revision.json', 'report.json'].map((name) => join(folder, name));
    await writeFile(older as string, JSON.stringify(base));
    await writeFile(newer as string, JSON.stringify(revision));
    const { output } = await runTool(
      ['@redocly/cli', 'redocly'],
      // Without diff-recommended, which this configuration names, the tool rates no change as breaking.
      [
        'diff',
        older,
        newer,
        '--format=json',
        `--output=${report}`,
        '--fail-on=none',
        '--config=redocly.yaml',
      ] as string[],
      projectRoot,
    );
    const text = await readFile(report as string, 'utf8').catch(() => undefined);
    if (text === undefined) throw new CannotCompare(`redocly diff can't compare the two contracts.\n${output.trim()}`);
    return (JSON.parse(text) as { changes: ToolChange[] }).changes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Whether the tool compares this part. Examples and extensions are ours: the tool reports only some of their changes.
 */
function isForTool({ typeName, property = '', base, revision }: ToolChange): boolean {
  return !/^Example/.test(typeName) && !`${(revision ?? base)?.pointer}/${property}`.includes('/x-');
}

/** The pointer to the changed element or keyword in the original contract. */
function placeOf({ base, revision, kind, property }: ToolChange, contract: ContractDocument): string {
  const pointer = ((kind === 'removed' ? base : (revision ?? base))?.pointer ?? '').replace(/^#/, '');
  if (property === undefined || property === 'key') return writtenPlace(contract, pointer);
  const segment = pointerSegment(property);
  const place = writtenPlace(contract, pointer.endsWith(`/${segment}`) ? pointer : `${pointer}/${segment}`);
  const written = place.replace(/\/enum$/, '/const');
  return valueAt(contract, place) === undefined && valueAt(contract, written) !== undefined ? written : place;
}

function describe({ verdicts, kind, property, base, revision, typeName }: ToolChange): string {
  if (verdicts.length > 0) return verdicts.map(({ message }) => message.replace(/\.$/, '')).join('; ');
  if (kind !== 'modified') return `${typeName} ${kind}`;
  const [before, after] = [base?.value, revision?.value].map((value) => JSON.stringify(value) ?? 'nothing');
  const isShort = `${before}${after}`.length < 90;
  return `${property === 'key' ? 'name' : property} changed${isShort ? ` from ${before} to ${after}` : ''}`;
}

/**
 * The element that a pointer belongs to: `listTokens`, `AgentAction`, `parameter Limit`, `/tokens`, or the document.
 */
function subjectOf(pointer: string, contract: ContractDocument): string {
  const [section, first, second] = pointerKeys(pointer);
  if (section === 'components' && second !== undefined) {
    return first === 'schemas' ? second : `${first?.replace(/s$/, '')} ${second}`;
  }
  if (section !== 'paths' || first === undefined) return 'document';
  const operation = second === undefined ? undefined : (contract.paths[first]?.[second] as Operation | undefined);
  return operation?.operationId ?? first;
}
