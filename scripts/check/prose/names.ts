/**
 * Checks that everything that prose names exists: operations by method and path, codes by status, decisions and rules
 * by number.
 */
import type { Facts } from '../../generate/facts.ts';
import type { Prose } from './read.ts';

/** The names that texts may use. */
export interface Names {
  readonly operations: readonly Facts[];
  /** Routes of the control surface, without `/__sandbox`, parameters as `:name`. */
  readonly controlRoutes: readonly { readonly method: string; readonly path: string }[];
  /** Other addresses that the sandbox serves or that an app must serve. */
  readonly otherPaths: readonly string[];
  /** Error code → its status. Each code has one. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Statuses that any request may get. */
  readonly transport: readonly number[];
  /** Every value of an enum, every constant and every field of the two contracts. */
  readonly words: ReadonlySet<string>;
  readonly decisions: ReadonlySet<string>;
  readonly rules: ReadonlySet<string>;
}

const request = /\b(GET|POST|PUT|PATCH|DELETE)\s+(\/[\w{}<>/:.-]*[\w}>])/g;
const barePath = /`(\/[a-z_.][\w{}/:.-]*?)\/?`/g;
const codeWithStatus = /\b([1-5]\d\d)\s+(?:with the code\s+)?`([A-Z][A-Z0-9_]+)`/g;
const upperWord = /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g;
const status = /(?<![\w.,:-]|\bno )([2-5]\d\d)(?![\w%]|[.,:-]\d)/g;

/** One phrase for each name in a text that doesn't exist. */
export function findStrangers({ text, operationId }: Prose, names: Names): string[] {
  const own = names.operations.find(({ id }) => id === operationId);
  return [
    ...[...text.matchAll(request)]
      .filter(([, method, path]) => !isServed(names, path ?? '', method))
      .map(([, method, path]) => `there is no ${method} ${path}`),
    ...[...text.matchAll(barePath)]
      .filter(([, path = '']) => !path.includes('//') && !isServed(names, path))
      .map(([, path]) => `there is no path ${path}`),
    ...[...text.matchAll(codeWithStatus)]
      .filter(([, number, code = '']) => names.statuses.get(code) !== Number(number))
      .map(([, number, code]) => `${code} does not come with ${number}`),
    ...[...text.matchAll(upperWord)]
      .filter(([, word = '']) => !names.words.has(word) && !word.startsWith('COUNTERSIGN_'))
      .map(([, word]) => `the contract has no ${word}`),
    ...(own === undefined ? [] : undeclared(text, own, names.transport)),
    ...unknown(text, /\bD\d\d\b/g, names.decisions, 'decision'),
    ...unknown(text, /\bR\d\d\b/g, names.rules, 'house rule'),
  ];
}

/** Statuses in a description of an operation that doesn't declare them. */
function undeclared(text: string, own: Facts, transport: readonly number[]): string[] {
  const declared = [...own.statuses, ...transport];
  return [...text.matchAll(status)]
    .filter(([, number]) => isStatus(Number(number)) && !declared.includes(Number(number)))
    .map(([, number]) => `the operation declares no ${number}`);
}

const isStatus = (number: number): boolean => (number >= 200 && number <= 204) || (number >= 400 && number <= 429);

function unknown(text: string, form: RegExp, known: ReadonlySet<string>, what: string): string[] {
  return (text.match(form) ?? []).filter((name) => !known.has(name)).map((name) => `there is no ${what} ${name}`);
}

/** Whether an operation or a route has the path. Without a method, whether a path begins with it. */
function isServed(names: Names, path: string, method?: string): boolean {
  const control = names.controlRoutes.flatMap((route) => [route, { ...route, path: `/__sandbox${route.path}` }]);
  const routes = [...names.operations, ...control].filter((route) => method === undefined || route.method === method);
  const given = path.split('/');
  const fits = (template: string): boolean => {
    const segments = template.split('/');
    if (method === undefined ? segments.length < given.length : segments.length !== given.length) return false;
    return given.every((segment, index) => isSegment(segment, segments[index] ?? ''));
  };
  return routes.some((route) => fits(route.path)) || names.otherPaths.some((other) => fits(other));
}

/** Whether a path segment fits: a parameter may be written as its name, as a value, or as `…`. */
function isSegment(given: string, segment: string): boolean {
  if (!/^[{:]/.test(segment)) return given === segment;
  if (given.startsWith('<')) return true;
  const name = segment.replaceAll(/[{}:]/g, '');
  return given === `{${name}}` || given === `:${name}` || /^[A-Z$]/.test(given);
}
