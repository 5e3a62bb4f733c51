/**
 * Compares what `redocly diff` skips: the content of examples, and the extensions that describe the service's
 * behaviour.
 */

import { pointerSegment } from '../../contract/pointer.ts';
import type { ContractDocument } from '../lib/contract.ts';
import type { Change, Level } from './change.ts';
import { isRecord, stableText } from './json.ts';

/**
 * The extensions whose changes a client can notice, and how much a change of each means. All other `x-` extensions are
 * for readers. Removing a required permission is compatible; see `levelOf`.
 */
export const behaviour: Readonly<Record<string, Level>> = {
  'x-permission': 'breaking',
  'x-agent-permission': 'breaking',
  'x-currencies': 'warning',
  'x-currency': 'warning',
  'x-exclusive-items': 'warning',
  'x-not-found': 'warning',
  'x-primary-identifier': 'warning',
  'x-rail-fields': 'warning',
  'x-transport-responses': 'warning',
};

/**
 * An element that the tool skips. `holder` is what it belongs to; it is the same on both sides even if the element
 * moves.
 */
interface Island {
  readonly key: string;
  readonly holder: string;
  readonly pointer: string;
  readonly value: unknown;
}

/** Compares the examples and extensions of two bundles. Those of an added or removed part aren't listed one by one. */
export function compareExamplesAndExtensions(
  base: ContractDocument,
  revision: ContractDocument,
): Omit<Change, 'subject'>[] {
  const before = findIslands(base);
  const after = findIslands(revision);
  return [...new Set([...before.islands.keys(), ...after.islands.keys()])].flatMap((id) => {
    const old = before.islands.get(id);
    const now = after.islands.get(id);
    const { key, holder, pointer } = (now ?? old) as Island;
    if (!before.holders.has(holder) || !after.holders.has(holder)) return [];
    // If a shared example is added or removed, its uses report that.
    if (holder === '/components' && (old === undefined || now === undefined)) return [];
    if (old !== undefined && now !== undefined && stableText(old.value) === stableText(now.value)) return [];
    const what = old === undefined ? 'was added' : now === undefined ? 'was removed' : 'changed';
    const said = [old, now].map((one) => (one === undefined ? 'nothing' : stableText(one.value)));
    const isShort = key.startsWith('x-') && said.every((text) => text.length < 60);
    return [
      {
        level: levelOf(key, old, now),
        pointer,
        what: `${key} ${what}${isShort ? `: ${said.join(' → ')}` : ''}`,
        correction: key.startsWith('x-') ? 'extensions' : 'examples',
      },
    ];
  });
}

function levelOf(key: string, old: Island | undefined, now: Island | undefined): Level {
  if (/^x-(?:agent-)?permission$/.test(key) && now === undefined) return 'compatible';
  // Naming the code for the first time doesn't change the code.
  if (key === 'x-not-found' && old === undefined) return 'none';
  return behaviour[key] ?? 'none';
}

function findIslands(contract: ContractDocument): { islands: Map<string, Island>; holders: Set<string> } {
  const islands = new Map<string, Island>();
  const holders = new Set<string>();
  const visit = (node: unknown, id: string, pointer: string): void => {
    if (Array.isArray(node)) {
      for (const [index, item] of node.entries()) visit(item, `${id}/${nameOf(item, index)}`, `${pointer}/${index}`);
    }
    if (!isRecord(node)) return;
    holders.add(id);
    for (const [key, value] of Object.entries(node)) {
      const at = `${pointer}/${pointerSegment(key)}`;
      const add = (name: string, inner: unknown, suffix = '') =>
        islands.set(`${id}/${key}${suffix}`, { key: name, holder: id, pointer: at + suffix, value: inner });
      if (key.startsWith('x-')) add(key, value);
      else if (key === 'example') add('example', value);
      else if (key === 'examples' && isRecord(value)) {
        for (const [name, example] of Object.entries(value))
          add(`example ${name}`, example, `/${pointerSegment(name)}`);
      } else visit(value, `${id}/${key}`, at);
    }
  };
  visit(contract, '', '');
  return { islands, holders };
}

/** The name that identifies a member of a list, wherever it is in the list. */
function nameOf(item: unknown, index: number): string {
  if (!isRecord(item)) return String(index);
  return String(item['$ref'] ?? (item['name'] === undefined ? index : `${item['in']} ${item['name']}`));
}
