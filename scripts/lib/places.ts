/** Finds elements of a bundle in the files that the bundle was made from. */
import { readFileSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { pointerKeys, pointTo } from '../../contract/pointer.ts';
import { type ContractDocument, httpMethods, type Operation } from './contract.ts';

/** A line of a file. The file's path starts at the locator's folder. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export type Locate = (pointer: string) => Place | undefined;

interface Source {
  readonly document: Document.Parsed;
  readonly value: unknown;
  readonly lines: LineCounter;
}

/** A place: a file, and the keys in it. */
interface Target {
  readonly path: string;
  readonly keys: readonly string[];
}

/**
 * Follows JSON pointers into a bundle through its source files, including references. If the source doesn't have an
 * element, such as a removed one, its place is the nearest element around it.
 *
 * @param root the folder that paths start at
 * @param file the source's root document, from there
 * @returns undefined if not even the first key of the pointer exists.
 */
export function createLocator(root: string, file: string): Locate {
  const start = resolve(root, file);
  const sources = new Map<string, Source | undefined>();
  const read = (path: string): Source | undefined => {
    if (!sources.has(path)) sources.set(path, readSource(path));
    return sources.get(path);
  };
  let named: Map<string, Target> | undefined;
  const targetNamed = (name: string): Target | undefined => {
    named ??= nameTargets(start, read);
    return named.get(name);
  };
  return (pointer) => {
    const keys = pointerKeys(pointer);
    const [first, section, name = '', ...rest] = keys;
    const isMoved =
      first === 'components' &&
      name !== '' &&
      pointTo(read(start)?.value, `/components/${section}/${name}`) === undefined;
    // The bundler turns content of other files into components, and names them after their files.
    const target = isMoved ? targetNamed(name) : undefined;
    if (isMoved && target === undefined) return undefined;
    const found = follow(target ?? { path: start, keys: [] }, target === undefined ? keys : rest, read);
    if (found === undefined) return undefined;
    const path = relative(root, found.path);
    return { file: path.replaceAll('\\', '/'), line: found.line };
  };
}

function readSource(path: string): Source | undefined {
  try {
    const lines = new LineCounter();
    const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines });
    return { document, value: document.toJS(), lines };
  } catch {
    // The bundler has already reported this fault.
    return undefined;
  }
}

/** Follows the keys, and each reference on the way. */
function follow(from: Target, keys: readonly string[], read: (path: string) => Source | undefined) {
  let at = from;
  let jumps = 0;
  const rest = [...keys];
  for (;;) {
    const node = valueAt(read(at.path)?.value, at.keys) as { $ref?: unknown } | undefined;
    const [next] = rest;
    if (next === undefined) break;
    if (typeof node?.$ref === 'string' && !Object.hasOwn(node, next) && jumps < 100) {
      at = targetOf(node.$ref, at.path);
      jumps += 1;
    } else if (typeof node === 'object' && node !== null && Object.hasOwn(node, next)) {
      at = { path: at.path, keys: [...at.keys, next] };
      rest.shift();
    } else break;
  }
  const source = read(at.path);
  return source === undefined ? undefined : { path: at.path, line: lineOf(source, at.keys) };
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown> | null | undefined)?.[key], value);
}

function targetOf(reference: string, from: string): Target {
  const [file = '', fragment = ''] = reference.split('#');
  const path = file === '' ? from : isAbsolute(file) ? file : join(dirname(from), decodeURIComponent(file));
  return { path, keys: pointerKeys(`#${fragment}`) };
}

/** The line of a key; the first line for the whole document. */
function lineOf({ document, lines }: Source, keys: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === key);
      if (pair === undefined) break;
      offset = (pair.key as { range?: [number, number, number] }).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line || 1;
}

/** Every target of a reference to another file, by the name that the bundler gives it. */
function nameTargets(start: string, read: (path: string) => Source | undefined): Map<string, Target> {
  const named = new Map<string, Target>();
  const waiting = [start];
  const seen = new Set(waiting);
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref: reference } = node as { $ref?: unknown };
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      const target = targetOf(reference, path);
      const name = target.keys.at(-1) ?? basename(target.path, extname(target.path));
      if (!named.has(name)) named.set(name, target);
      if (!seen.has(target.path)) {
        seen.add(target.path);
        waiting.push(target.path);
      }
    }
    for (const child of Object.values(node)) visit(child, path);
  };
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) visit(read(path)?.value, path);
  return named;
}

/** Returns a function that lists the operations that use the element at a pointer. */
export function operationsAt(contract: ContractDocument): (pointer: string) => readonly string[] {
  const all = Object.entries(contract.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined) return [];
      const id = operation.operationId ?? `${method.toUpperCase()} ${path}`;
      return [{ id, path, method, reached: referencesIn(contract, [item.parameters, operation]) }];
    }),
  );
  return (pointer) => {
    const [first, second, third] = pointerKeys(pointer);
    const isConcerned = ({ path, method, reached }: (typeof all)[number]): boolean => {
      if (first === 'components') return reached.has(`#/components/${second}/${third}`);
      if (first !== 'paths' || second !== path) return false;
      return third === undefined || third === method || !httpMethods.some((known) => known === third);
    };
    return all.filter(isConcerned).map(({ id }) => id);
  };
}

function referencesIn(contract: ContractDocument, nodes: readonly unknown[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref: reference } = node as { $ref?: unknown };
    if (typeof reference === 'string' && !reached.has(reference)) {
      reached.add(reference);
      visit(pointTo(contract, reference));
    }
    for (const child of Object.values(node)) visit(child);
  };
  for (const node of nodes) visit(node);
  return reached;
}

/** The operations in brackets: ` (createQuote, getQuote and 12 more)`; empty if there are none. */
export function inBrackets(operations: readonly string[]): string {
  if (operations.length === 0) return '';
  const named = operations.slice(0, 3).join(', ');
  return operations.length > 3 ? ` (${named} and ${operations.length - 3} more)` : ` (${named})`;
}
