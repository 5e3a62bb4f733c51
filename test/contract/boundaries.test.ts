/**
 * Promise: the import rules of `.dependency-cruiser.mjs` and the boundary checks find real breaches. In a temporary
 * project every room has a file that imports everything allowed and one thing that isn't, and every other rule has a
 * planted breach. Allowed code has no finding, and an allowance that nothing needs has one.
 */

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTrespasses, trespassesIn } from '../../scripts/check/boundaries.ts';
import { type ImportReport, readImports } from '../../scripts/check/imports.ts';
import { findUnneeded, type ImportRule, importRules, roomOf, typePackages } from '../../scripts/check/roomRules.ts';
import { type Room, rooms } from '../../scripts/check/rooms.ts';
import { projectRoot } from '../../scripts/lib/project.ts';

const imports = (...specifiers: string[]) => specifiers.map((s, i) => `export * as m${i} from '${s}';`).join('\n');
const domains = 'mocks/sandbox/domains';

/** A file of a room, by the room's path. Some rooms are a single file. */
function fileIn(path: string, name: string): string {
  if (path.endsWith('*/records.ts')) return path.replace('*', name === 'leaf' ? 'tokens' : 'auth');
  if (path.endsWith('*')) return path.replace('*', `${name}.ts`);
  if (path.includes('*')) return path.replace('*', name);
  return /\.\w+$/.test(path) ? path : `${path}/${name}.ts`;
}

const fromRoot = (file: string, to: string) => `${'../'.repeat(file.split('/').length - 1)}${to}`;

/** The nearest room above that a room may not import, or for the highest room the nearest below. */
function forbiddenTo(room: Room): Room {
  const at = rooms.indexOf(room);
  const others = [...rooms.slice(at + 1), ...rooms.slice(0, at).reverse()];
  return others.find(({ path }) => !room.may.includes(path)) as Room;
}

/** For each room, a file that imports from all allowed rooms, from one forbidden room, and from Node. */
const planted = rooms.map((room): [file: string, text: string] => {
  const file = fileIn(room.path, 'planted');
  const others = [...room.may, forbiddenTo(room).path].map((path) => fromRoot(file, fileIn(path, 'leaf')));
  return [file, imports(...others, 'node:fs')];
});
const leaves = rooms.map(({ path }): [file: string, text: string] => [fileIn(path, 'leaf'), 'export {};']);

/** Code that keeps the rules inside the domains, and modules for the breaches to import. */
const sound: Record<string, string> = {
  [`${domains}/tokens/rules.ts`]: `${imports('../../tools/leaf.ts')}\nexport type { m0 } from './records.ts';`,
  [`${domains}/tokens/procedures.ts`]: imports('./records.ts', './rules.ts'),
  [`${domains}/tokens/createToken.ts`]: imports('../leaf.ts', './procedures.ts'),
  [`${domains}/tokens/listTokens.ts`]: imports('../leaf.ts', './records.ts'),
  'mocks/sandbox/registry/handlers.ts': imports('../domains/tokens/createToken.ts', '../domains/tokens/listTokens.ts'),
  'mocks/sandbox/node/postgres/pool.ts': imports('pg'),
  'test/quotes/a.test.ts': imports('../support/leaf.ts', './table.ts'),
  'test/quotes/table.ts': `import type {} from '${typePackages.join("';\nimport type {} from '")}';`,
};

/** For each other rule, a module that breaks it. */
const breaches: [rule: string, file: string, text: string][] = [
  ['every-file-has-a-room', 'tools/new.ts', imports('../generated/leaf.ts')],
  ['no-cycles', 'mocks/sandbox/tools/a.ts', imports('./b.ts')],
  ['no-unresolved', 'mocks/sandbox/tools/lost.ts', imports('./nowhere.ts')],
  ['rules-are-pure', `${domains}/quotes/rules.ts`, imports('../../store/leaf.ts')],
  ['rules-take-record-types-only', `${domains}/agents/rules.ts`, imports('../tokens/records.ts')],
  ['procedures-below-operations', `${domains}/tokens/procedures/making.ts`, imports('../createToken.ts')],
  ['operations-stand-alone', `${domains}/tokens/getToken.ts`, imports('./createToken.ts')],
  ['operations-through-handlers', 'mocks/sandbox/registry/effects.ts', imports('../domains/tokens/createToken.ts')],
  ['drivers-in-engines', `${domains}/quotes/readQuote.ts`, imports('pg')],
  ['drivers-in-engines', 'mocks/sandbox/node/stored.ts', imports('node:sqlite')],
  ['tests-stand-alone', 'test/agents/b.test.ts', imports('../quotes/table.ts')],
  ['examples-stand-alone', 'test/quotes/copied.ts', imports('../../examples/go/payouts.ts')],
  ['no-dev-dependency-in-product', 'mocks/sandbox/steps/dev.ts', imports('fast-check')],
  ['no-dev-dependency-in-console', 'console/dev.ts', imports('fast-check')],
  ['msw-and-nothing-else', 'package/msw.ts', imports('fast-check')],
  ['playwright-and-nothing-else', 'package/playwright.ts', imports('fast-check')],
  ['vitest-and-nothing-else', 'package/vitest.ts', imports('fast-check')],
];

const readRules = (): Promise<unknown> => import(/* @vite-ignore */ join(projectRoot, '.dependency-cruiser.mjs'));

let folder: string;
let graph: ImportReport;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-boundaries-'));
  for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs']) {
    await cp(join(projectRoot, file), join(folder, file));
  }
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const files = new Map([
    ...leaves,
    ...planted,
    ...Object.entries(sound),
    ...breaches.map(([, file, text]): [string, string] => [file, text]),
    ['mocks/sandbox/tools/b.ts', imports('./a.ts')] as const,
    ['examples/go/payouts.ts', 'export {};'] as const,
  ]);
  for (const file of ['scripts/check/rooms.ts', 'scripts/check/roomRules.ts', 'scripts/build/packages.ts']) {
    files.set(file, await readFile(join(projectRoot, file), 'utf8'));
  }
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
  }
  graph = await readImports(folder, [...new Set([...files.keys()].map((file) => file.split('/')[0] as string))]);
}, 30_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The targets of a file's breaches of a rule, in alphabetical order. */
const found = (rule: string, file: string) =>
  graph.summary.violations
    .filter(({ rule: { name }, from }) => name === rule && from === file)
    .map(({ to }) => to)
    .sort();

describe('import rules', () => {
  test.each(rooms)('$path imports what its list allows and nothing else', (room) => {
    const file = fileIn(room.path, 'planted');
    expect(found(room.path, file)).toEqual([fileIn(forbiddenTo(room).path, 'leaf')]);
    expect(found('without-node', file)).toEqual(room.node === true ? [] : ['fs']);
  });

  test.each(rooms)('the rule of $path forbids every other room that its list has not', (room) => {
    const { from, to } = importRules().find(({ name }) => name === room.path) as ImportRule;
    const leaf = ({ path }: Room) => fileIn(path, 'leaf');
    const isIn = (file: string, { path = '', pathNot = '$^' }: ImportRule['from']) =>
      new RegExp(path).test(file) && !new RegExp(pathNot).test(file);
    expect(rooms.filter((one) => isIn(leaf(one), from))).toEqual([room]);
    const allowed = rooms.filter((one) => !isIn(leaf(one), to));
    expect(allowed).toEqual(rooms.filter((one) => one === room || room.may.includes(one.path)));
  });

  test('a room imports from those above it in the table only', () => {
    const order = rooms.map(({ path }) => path);
    for (const [index, { path, may }] of rooms.entries()) {
      for (const other of may) expect(order.slice(0, index), `${path} may import ${other}`).toContain(other);
    }
  });

  test('an allowance that nothing needs is found', () => {
    expect(findUnneeded(graph)).toEqual([]);
    const without = (source: string, resolved: string): ImportReport => ({
      ...graph,
      modules: graph.modules.map((module) =>
        module.source === source
          ? { ...module, dependencies: module.dependencies.filter((one) => one.resolved !== resolved) }
          : module,
      ),
    });
    const idle = 'but no file there does any more';
    expect(findUnneeded(without('client/planted.ts', 'contract/leaf.ts'))).toEqual([
      `client may import contract, ${idle}`,
    ]);
    expect(findUnneeded(without('contract/file.ts', 'fs'))).toEqual([`contract/file.ts may import node, ${idle}`]);
    expect(findUnneeded(without('test/quotes/table.ts', 'sarif'))).toEqual(['no file imports sarif any more']);
    const { modules } = graph;
    const moved = modules.filter(({ source }) => roomOf(source)?.path !== 'mocks/sandbox/registry');
    expect(findUnneeded({ modules: moved })).toEqual(['the room mocks/sandbox/registry has no file']);
  });

  test.each(breaches)('%s', (rule, file) => {
    expect(found(rule, file)).toHaveLength(1);
  });

  test('a module that keeps to the rules is left alone', () => {
    expect(graph.summary.violations.filter(({ from }) => from in sound)).toEqual([]);
  });

  test('every rule has a planted breach', async () => {
    const { default: config } = (await readRules()) as { default: { forbidden: { name: string }[] } };
    const names = config.forbidden.map(({ name }) => name);
    const ofRooms = [...rooms.map(({ path }) => path), 'without-node'];
    expect([...new Set([...ofRooms, ...breaches.map(([rule]) => rule)])]).toEqual(expect.arrayContaining(names));
    expect(names).toEqual(expect.arrayContaining(importRules().map(({ name }) => name)));
  });
});

describe('boundaries', () => {
  const cases: [text: string, rules: string[]][] = [
    ['export const f = () => Date.now();', ['time']],
    ['export const f = () => globalThis.Date.now();', ['time']],
    [`export const f = () => Date['now']();`, ['time']],
    ['export const f = () => new Date();', ['time']],
    ['export const f = () => Date();', ['time']],
    ['export const f = () => performance.now();', ['time']],
    ['export const f = (instant: number) => new Date(instant).getTime();', []],
    ['export const f = () => Math.random();', ['chance']],
    ['export const f = () => crypto.randomUUID();', ['chance']],
    [`import { randomBytes } from 'node:crypto';\nexport const f = () => 1;`, ['chance']],
    ['export const f = () => process.env.HOME;', ['environment', 'node']],
    ['export const f = () => process.memoryUsage();', ['node']],
    [`export const f = () => Buffer.from('a');`, ['node']],
    ['export const f = (a: Buffer) => a;', ['node']],
    ['export const f = () => globalThis.Buffer;', ['node']],
    ['export const f = (work: { process: number }) => work.process;', []],
    [`import { env } from 'node:process';\nexport const f = () => 1;`, ['environment']],
    ['export const f = (g: () => void) => setTimeout(g, 5);', ['timer']],
    ['export const f = (g: () => void) => globalThis.setInterval(g, 5);', ['timer']],
    [`import { setTimeout } from 'node:timers/promises';`, ['timer']],
    ['export const f = (g: () => void) => setImmediate(g);', ['timer']],
    ['export const f = (g: () => void) => queueMicrotask(g);', ['timer']],
    [
      `import { setTimeout } from '../../node/machine/timers.ts';\nexport const f = (g: () => void) => setTimeout(g);`,
      ['timer'],
    ],
    ['let count = 0;\nexport const f = () => (count += 1);', ['module-state']],
    ['const seen = new Map<string, string>();\nexport const f = () => seen;', ['module-state']],
    ['export const log: string[] = [];', ['module-state']],
    [`export const units = new Map([['USD', 2]]);`, []],
    ['export function f() {\n  let count = 0;\n  const seen = new Set();\n  return [count++, seen];\n}', []],
    ['// Date.now(), Math.random() and process.env in a comment\nexport const text = "setTimeout(f)";', []],
  ];

  test.each(cases)('%s', (text, rules) => {
    const found = trespassesIn('mocks/sandbox/domains/tokens/createToken.ts', text);
    expect(found.map(({ rule }) => rule)).toEqual(rules);
  });

  test('what a page runs of traffic/ takes no global that only Node has', () => {
    const text = 'export const size = (a: string) => Buffer.byteLength(a);';
    expect(trespassesIn('traffic/record.ts', text).map(({ rule }) => rule)).toEqual(['node']);
    expect(trespassesIn('traffic/unpack.ts', text)).toEqual([]);
  });

  const awaited = (handling: string) => `async function f(unit: Unit) {
    try {
      await pay(unit);
    } ${handling}
  }`;
  const swallowing: [text: string, isFound: boolean][] = [
    [awaited('catch {}'), true],
    [awaited('catch (error) { return error; }'), true],
    [awaited('catch (error) { if (error instanceof Problem) return error; throw error; }'), true],
    [awaited('catch (error) { if (!(error instanceof Problem)) throw error; }'), true],
    [awaited('catch (error) { throw error instanceof Problem ? placeBelow("/a", error) : error; }'), false],
    [awaited('catch (error) { if (isOurs(error)) throw error; else { throw invalid([]); } }'), false],
    [awaited('finally { return 1; }'), true],
    [awaited('finally { close(); }'), false],
    [awaited('catch (error) { const f = () => { return 1; }; throw f(); }'), false],
    ['async function f(unit: Unit) { for (;;) try { await pay(unit); } catch (error) { break; } }', true],
    ['async function f(unit: Unit) { try { for await (const a of all(unit)) use(a); } catch {} }', true],
    ['function f(text: string) { try { return JSON.parse(text); } catch { return undefined; } }', false],
    ['const f = (unit: Unit) => pay(unit).catch(() => undefined);', true],
    ['const f = (unit: Unit) => pay(unit).catch(ignore);', true],
    ['const f = (unit: Unit) => pay(unit).catch((error) => { throw placeBelow("/a", error); });', false],
    ['const f = (unit: Unit) => pay(unit).then(view, () => undefined);', true],
    ['const f = (unit: Unit) => pay(unit).then(view);', false],
    ['const f = (unit: Unit) => Promise.allSettled([pay(unit)]);', true],
    ['const f = (unit: Unit) => unit.attempt(() => pay(unit));', false],
    ['const f = (unit: Unit) => unit.attempt(() => pay(unit).catch(() => undefined));', true],
  ];

  test.each(swallowing)('a refusal that is swallowed inside a unit: %s', (text, isFound) => {
    const rules = isFound ? ['swallowed'] : [];
    const rulesIn = (file: string, given = text) => trespassesIn(file, given).map(({ rule }) => rule);
    expect(rulesIn('mocks/sandbox/domains/tokens/createToken.ts')).toEqual(rules);
    expect(rulesIn('mocks/sandbox/worlds/world.ts')).toEqual(rules);
    const importing = "import type { Fill, Unit } from '../store/units/unit.ts';\n";
    expect(rulesIn('mocks/sandbox/steps/settle.ts', importing + text)).toEqual(rules);
    // In other folders, only where a function takes a unit, and never in the store, which makes units.
    expect(rulesIn('mocks/sandbox/pipeline/pipeline.ts')).toEqual(rules);
    expect(rulesIn('mocks/sandbox/pipeline/pipeline.ts', text.replaceAll('unit: Unit', 'raw: Raw'))).toEqual([]);
    expect(rulesIn('mocks/sandbox/store/units/openUnit.ts', importing + text)).toEqual([]);
  });

  test('the clock, chance and main.ts may touch the machine', () => {
    const text = 'export const f = () => [Date.now(), Math.random()];';
    for (const file of ['main.ts', 'tools/clock.ts', 'tools/chance.ts']) {
      expect(trespassesIn(`mocks/sandbox/${file}`, text)).toEqual([]);
    }
    expect(trespassesIn('mocks/sandbox/main.ts', 'export const f = () => process.env;')).toEqual([]);
  });

  test('the store may wait for a turn', () => {
    const text = `import { setImmediate } from '../machine/timers.ts';\nexport const f = (g: () => void) => setImmediate(g);`;
    expect(trespassesIn('mocks/sandbox/node/sqlite/sqlite.ts', text)).toEqual([]);
  });

  test('the server may wait for connections to end', () => {
    const text = `import { setTimeout } from '../machine/timers.ts';
      export const f = (g: () => void) => [setTimeout(g, 5), Date.now()];`;
    expect(trespassesIn('mocks/sandbox/node/listening/bind.ts', text)).toMatchObject([{ rule: 'time' }]);
  });

  test.each([
    'mocks/launch.ts',
    'mocks/prism/app.ts',
    'mocks/sandbox/node/sqlite/sqlite.ts',
    'mocks/sandbox/node/listening/server.ts',
    'mocks/sandbox/main.ts',
    'cli/proxy.ts',
    'client/keys.ts',
    'package/inProcess.ts',
  ])('%s takes its timers from the one place, as all that is shipped does', (file) => {
    for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) {
      expect(trespassesIn(file, `export const f = (g: () => void) => ${name}(g);`)).toMatchObject([{ rule: 'timer' }]);
    }
    expect(trespassesIn(file, `import { pause } from 'node:timers/promises';`)).toMatchObject([{ rule: 'timer' }]);
  });

  test('a planted file is found, with its place', async () => {
    await writeFile(join(folder, domains, 'tokens/late.ts'), '\nexport const f = () => Date.now();\n');
    const found = findTrespasses(folder);
    expect(found).toMatchObject([{ file: `${domains}/tokens/late.ts`, line: 2, rule: 'time' }]);
  });
});
