/**
 * The environments that the package is tried with: the rows of the table in package/README.md, by their first column.
 */

/**
 * Each row with the test that tries it: `matrix` is matrix.long.test.ts, `consumer` consumer.test.ts, `fixtures`
 * fixtures.long.test.ts, `examples` test/examples. Undefined if this machine can't try it.
 */
export const rows: Readonly<Record<string, 'matrix' | 'consumer' | 'fixtures' | 'examples' | undefined>> = {
  'Node 20, 22': 'matrix',
  'Node 24': 'matrix',
  'Bun 1.4': 'matrix',
  'Deno 2.9': 'matrix',
  'ES modules': 'consumer',
  CommonJS: 'consumer',
  'Jest 30': 'matrix',
  'Vitest 5': 'consumer',
  'jsdom 31, in Vitest': 'examples',
  'Playwright 1.65': 'fixtures',
  'TypeScript 5.4 to 7.0': 'matrix',
  '`module` or `moduleResolution`: `nodenext`, `node16`, `bundler`': 'matrix',
  '`moduleResolution`: `node`': 'matrix',
  'without the DOM library': 'matrix',
  Linux: 'consumer',
  'macOS, Windows': undefined,
};

/** Versions of TypeScript, by their names in matrix/package.json. */
export const compilers = ['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0'];
