/** Bundles the package's JavaScript into few files with rolldown: our modules and what they import. */
import { copyFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type OutputChunk, type OutputOptions, type RolldownOptions, rolldown } from 'rolldown';
import { projectRoot } from '../lib/project.ts';
import { forPages, sqliteWasm } from './browser.ts';
import { externalPackages } from './packages.ts';

/** Entries that users import or run, by their file name in `dist/`. */
interface Part {
  readonly platform: 'browser' | 'node';
  readonly entries: Readonly<Record<string, string>>;
  /** The folder of the files that the entries share. */
  readonly shared: string;
  /** External packages that are bundled anyway, because a page without a bundler can't find them. */
  readonly inside?: readonly string[];
  readonly options?: RolldownOptions;
  readonly output?: OutputOptions;
}

/** Options for the sandbox in a page, where size matters. An app's bundler would do the same. */
const inPage = {
  platform: 'browser',
  shared: 'browser',
  inside: ['openapi-fetch'],
  options: {
    plugins: [...forPages],
    // Node loads these modules late, a page loads them at once (mocks/sandbox/browser/app.ts).
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
    experimental: { onDemandWrapping: true },
  },
  // Packages of the passkey verifier depend on the order of their imports, which a split bundle would not keep.
  output: { minify: true, strictExecutionOrder: true },
} as const satisfies Partial<Part>;

/**
 * The sandbox for a page, and as a service worker. A service worker can't load parts later, so it is one file, together
 * with the code that starts it.
 */
const partsInPage: readonly Part[] = [
  { ...inPage, entries: { 'browser/index': 'package/browser.ts' } },
  { ...inPage, entries: { 'browser/start-worker': 'package/startWorker.ts' } },
  {
    ...inPage,
    entries: { 'browser/service-worker': 'package/serviceWorker.ts' },
    // The file has no exports, but it must be loaded as a module.
    output: { ...inPage.output, codeSplitting: false, banner: 'export {};' },
  },
];

/**
 * Parts that share no file, so that an app's import never leads to a file that only Node can load. To add an entry, add
 * a line here; its file must be directly below a folder of `dist/` (contract/root.ts).
 */
const parts: readonly Part[] = [
  {
    platform: 'browser',
    shared: 'client',
    entries: {
      'package/index': 'package/index.ts',
      'package/control': 'package/control.ts',
      'package/msw': 'package/msw.ts',
      'package/testing': 'package/testing.ts',
      'client/index': 'client/index.ts',
    },
  },
  {
    platform: 'node',
    shared: 'sandbox',
    entries: {
      'package/sandbox': 'package/sandbox.ts',
      'package/playwright': 'package/playwright.ts',
      'package/vitest': 'package/vitest.ts',
      'package/jest': 'package/jest.ts',
      'cli/main': 'cli/main.ts',
    },
  },
];

/**
 * Writes the JavaScript of every entry into a folder.
 *
 * @returns the paths of all bundled modules
 * @throws Error with rolldown's message. A warning is an error too, because rolldown only warns when it leaves out a
 * module that it can't find.
 */
export async function writeBundles(folder: string): Promise<ReadonlySet<string>> {
  const [chunks, inPage] = await Promise.all([
    Promise.all(parts.map((part) => writePart(part, folder))),
    writeSandboxInPage(folder),
  ]);
  return new Set([...chunks.flat().flatMap(({ moduleIds }) => moduleIds), ...inPage]);
}

/**
 * Writes `browser/`: the sandbox for pages, its service worker, and SQLite. @returns the same as {@link writeBundles}.
 */
export async function writeSandboxInPage(folder: string): Promise<string[]> {
  const chunks = await Promise.all(partsInPage.map((part) => writePart(part, folder)));
  await copyFile(sqliteWasm, join(folder, 'browser', 'sqlite3.wasm'));
  return chunks.flat().flatMap(({ moduleIds }) => moduleIds);
}

async function writePart(part: Part, folder: string): Promise<OutputChunk[]> {
  const outside = externalPackages.filter((name) => part.inside?.includes(name) !== true);
  const options: RolldownOptions = {
    cwd: projectRoot,
    input: { ...part.entries },
    platform: part.platform,
    external: (name) => isBuiltin(name) || outside.some((one) => name === one || name.startsWith(`${one}/`)),
    // Node 20 must be able to run the types, the client and `check`.
    transform: { target: 'es2023' },
    // A plugin may be slow on a busy machine. That isn't a fault of the bundle.
    checks: { pluginTimings: false },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
    ...part.options,
  };
  const bundle = await rolldown(options);
  const { output } = await bundle.write({
    dir: join(folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${part.shared}/[name]-[hash].js`,
    // Bundlers of apps read the annotations. The licences are in a separate file (licences.ts).
    comments: { legal: false, jsdoc: false, annotation: true },
    ...part.output,
  });
  await bundle.close();
  return output.filter((file) => file.type === 'chunk');
}
