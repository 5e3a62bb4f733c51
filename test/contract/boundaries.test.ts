/**
 * Promise: the import rules of `.dependency-cruiser.mjs` and the boundary checks really fire. Each is shown a planted
 * breach in a throw-away project; and a module that keeps to the rules is left alone.
 */

import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTrespasses, trespassesIn } from '../../scripts/check/boundaries.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runTool } from '../../scripts/lib/tool.ts';

const imports = (...specifiers: string[]) => specifiers.map((s, i) => `export * as m${i} from '${s}';`).join('\n');
const domains = 'mocks/sandbox/domains';

/** What keeps to the rules, and what the breaches import. */
const sound: Record<string, string> = {
  'generated/types.ts': 'export type A = 1;',
  'contract/encodings.ts': imports('../generated/types.ts'),
  'contract/file.ts': imports('node:fs'),
  'client/keys.ts': imports('../contract/encodings.ts', '../generated/types.ts'),
  'conformance/judge.ts': imports('../generated/types.ts', '../contract/encodings.ts', '../traffic/record.ts'),
  'cli/proxy.ts': imports('../conformance/judge.ts', '../mocks/sandbox/transport/pages.ts'),
  'traffic/record.ts': imports('../contract/encodings.ts', 'node:zlib'),
  'scripts/tool.ts': 'export {};',
  'mocks/prism/main.ts': imports('../sandbox/transport/http.ts'),
  'mocks/sandbox/tools/problem.ts': imports('../../../generated/types.ts'),
  'mocks/sandbox/store/units/unit.ts': imports('../../tools/problem.ts', 'kysely'),
  'mocks/sandbox/node/sqlite/sqlite.ts': imports('../../store/units/unit.ts', 'node:sqlite'),
  'mocks/sandbox/transport/pages.ts': 'export {};',
  'mocks/sandbox/telemetry/journal.ts': imports('../../../traffic/record.ts'),
  'mocks/exchange/exchange.ts': imports('../sandbox/node/machine/timers.ts'),
  'mocks/exchange/node.ts': imports('node:http', './exchange.ts'),
  'mocks/sandbox/node/machine/timers.ts': 'export {};',
  'mocks/sandbox/transport/http.ts': imports('../tools/problem.ts', '../../exchange/exchange.ts'),
  'mocks/sandbox/steps/authenticate.ts': imports('../domains/tokens/records.ts'),
  'mocks/sandbox/pipeline/handlers.ts': imports('../domains/tokens/createToken.ts', '../domains/tokens/listTokens.ts'),
  'mocks/sandbox/app.ts': imports('./pipeline/handlers.ts', './steps/authenticate.ts', './transport/http.ts'),
  'mocks/sandbox/main.ts': imports('./app.ts'),
  'package/index.ts': imports('../generated/types.ts'),
  [`${domains}/operation.ts`]: imports('../store/units/unit.ts'),
  [`${domains}/tokens/rules.ts`]: `${imports('../../tools/problem.ts')}\nexport type { m0 } from './records.ts';`,
  [`${domains}/tokens/records.ts`]: imports('../../store/units/unit.ts'),
  [`${domains}/tokens/procedures.ts`]: imports('./records.ts', './rules.ts'),
  [`${domains}/tokens/createToken.ts`]: imports('../operation.ts', './procedures.ts'),
  [`${domains}/tokens/listTokens.ts`]: imports('../operation.ts', './records.ts'),
};

/** For each rule a module that breaks it. */
const breaches: [rule: string, file: string, text: string][] = [
  ['no-cycles', 'mocks/sandbox/tools/a.ts', imports('./b.ts')],
  ['no-unresolved', 'mocks/sandbox/tools/lost.ts', imports('./nowhere.ts')],
  ['contract-is-lowest', 'contract/high.ts', imports('../client/keys.ts')],
  ['contract-is-lowest', 'contract/served.ts', imports('../mocks/sandbox/tools/problem.ts')],
  ['contract-is-lowest', 'contract/written.ts', imports('../traffic/record.ts')],
  ['contract-is-lowest', 'contract/judged.ts', imports('../conformance/judge.ts')],
  [
    'tools-are-lowest',
    'mocks/sandbox/tools/high.ts',
    `import type { m0 } from '../store/units/unit.ts';\nexport type X = m0;`,
  ],
  ['store-above-tools', 'mocks/sandbox/store/high.ts', imports('../domains/tokens/records.ts')],
  ['rules-are-pure', `${domains}/quotes/rules.ts`, imports('../../store/units/unit.ts')],
  ['rules-take-record-types-only', `${domains}/agents/rules.ts`, imports('../tokens/records.ts')],
  ['records-below-procedures', `${domains}/quotes/records.ts`, imports('../tokens/procedures.ts')],
  ['procedures-below-operations', `${domains}/quotes/procedures.ts`, imports('../tokens/createToken.ts')],
  ['procedures-below-operations', `${domains}/quotes/procedures/sides.ts`, imports('../../tokens/createToken.ts')],
  ['operations-stand-alone', `${domains}/quotes/getQuote.ts`, imports('../tokens/createToken.ts')],
  ['shared-domain-files-are-low', `${domains}/list.ts`, imports('./tokens/records.ts')],
  ['domains-below-application', `${domains}/quotes/listQuotes.ts`, imports('../../steps/authenticate.ts')],
  ['no-http-below-transport', `${domains}/quotes/serveQuote.ts`, imports('../../../exchange/exchange.ts')],
  ['drivers-in-engines', `${domains}/quotes/readQuote.ts`, imports('node:sqlite')],
  ['operations-through-handlers', 'mocks/sandbox/pipeline/pipeline.ts', imports('../domains/tokens/createToken.ts')],
  ['handlers-below-app', 'mocks/sandbox/pipeline/effects.ts', imports('../steps/authenticate.ts')],
  ['exchange-below-mocks', 'mocks/exchange/high.ts', imports('../sandbox/transport/http.ts')],
  ['node-http-at-the-port', 'mocks/sandbox/steps/port.ts', imports('node:http')],
  ['transport-knows-no-sandbox', 'mocks/sandbox/transport/high.ts', imports('../store/units/unit.ts')],
  ['main-is-the-top', 'mocks/sandbox/steps/top.ts', imports('../main.ts')],
  ['prism-shares-the-front-only', 'mocks/prism/deep.ts', imports('../sandbox/store/units/unit.ts')],
  ['sandbox-without-prism', 'mocks/sandbox/steps/canned.ts', imports('../../prism/main.ts')],
  ['client-sees-generated-only', 'client/deep.ts', imports('../mocks/sandbox/tools/problem.ts')],
  ['traffic-is-low', 'traffic/high.ts', imports('../mocks/sandbox/tools/problem.ts')],
  ['traffic-is-low', 'traffic/judged.ts', imports('../conformance/judge.ts')],
  ['kit-reads-the-contract', 'conformance/deep.ts', imports('../mocks/sandbox/store/units/unit.ts')],
  ['kit-reads-the-contract', 'conformance/shallow.ts', imports('../mocks/sandbox/transport/pages.ts')],
  ['command-is-the-top', 'conformance/commanding.ts', imports('../cli/proxy.ts')],
  ['nobody-needs-the-kit', 'mocks/sandbox/recording.ts', imports('../../conformance/judge.ts')],
  ['nobody-needs-the-kit', 'client/judging.ts', imports('../conformance/judge.ts')],
  ['browser-safe', 'client/files.ts', imports('node:fs')],
  ['browser-safe', 'contract/disk.ts', imports('node:fs')],
  ['contract-file-is-for-node', 'client/disk.ts', imports('../contract/file.ts')],
  ['contract-file-is-for-node', 'contract/lazy.ts', imports('./file.ts')],
  ['generated-is-a-leaf', 'generated/deep.ts', imports('../client/keys.ts')],
  ['package-is-the-outside', 'mocks/sandbox/steps/outside.ts', imports('../../../package/index.ts')],
  ['product-without-tooling', 'mocks/sandbox/steps/tooling.ts', imports('../../../scripts/tool.ts')],
  ['no-dev-dependency-in-product', 'mocks/sandbox/steps/dev.ts', imports('fast-check')],
];

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
}

const readRules = (): Promise<unknown> => import(/* @vite-ignore */ join(projectRoot, '.dependency-cruiser.mjs'));

let folder: string;
let violations: Violation[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-boundaries-'));
  for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs']) {
    await cp(join(projectRoot, file), join(folder, file));
  }
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const planted = breaches.map(([, file, text]): [string, string] => [file, text]);
  const files = [...Object.entries(sound), ...planted, ['mocks/sandbox/tools/b.ts', imports('./a.ts')] as const];
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
  }
  const args = [
    '--output-type',
    'json',
    'cli',
    'client',
    'conformance',
    'contract',
    'generated',
    'mocks',
    'package',
    'scripts',
    'traffic',
  ];
  const { stdout } = await runTool(['dependency-cruiser', 'depcruise'], args, folder);
  violations = (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}, 30_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('import rules', () => {
  test.each(breaches)('%s', (rule, file) => {
    const fired = violations.filter(({ from }) => from === file).map(({ rule: { name } }) => name);
    expect(fired).toContain(rule);
  });

  test('a module that keeps to the rules is left alone', () => {
    expect(violations.filter(({ from }) => from in sound)).toEqual([]);
  });

  test('every rule has a planted breach', async () => {
    const { default: config } = (await readRules()) as { default: { forbidden: { name: string }[] } };
    const names = config.forbidden.map(({ name }) => name);
    expect([...new Set(breaches.map(([rule]) => rule))]).toEqual(names);
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
    ['export const f = () => process.env.HOME;', ['environment']],
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
    // Elsewhere where a function is given a unit; not where there is none, nor in the store that makes them.
    expect(rulesIn('mocks/sandbox/pipeline/pipeline.ts')).toEqual(rules);
    expect(rulesIn('mocks/sandbox/pipeline/pipeline.ts', text.replaceAll('unit: Unit', 'raw: Raw'))).toEqual([]);
    expect(rulesIn('mocks/sandbox/store/units/openUnit.ts', importing + text)).toEqual([]);
  });

  test('the clock, chance and main.ts may touch the machine', () => {
    const text = 'export const f = () => [Date.now(), Math.random(), process.env];';
    for (const file of ['main.ts', 'tools/clock.ts', 'tools/chance.ts']) {
      expect(trespassesIn(`mocks/sandbox/${file}`, text)).toEqual([]);
    }
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
