/** Builds the console (Vite) from console/ and from the generated modules, before those are written. */
import { join, relative, sep } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rollup } from 'vite';
import { projectRoot, withUnixLineEnds } from '../lib/project.ts';

/** The folder of the built console. */
export const consoleFolder = 'generated/console';

/** The path at which a sandbox serves the console, for all its views. */
export const served = '/console/';

/** The output of the build: the files, and the modules in them, whose licences are needed. */
export interface BuiltConsole {
  readonly files: [path: string, text: string][];
  readonly modules: readonly string[];
}

/**
 * Builds the console's files: an index.html, and scripts and a style sheet whose names contain a hash of their content.
 * The same sources give the same bytes in any folder.
 *
 * @param generated modules of `generated/` that the console imports, by their paths from the root
 * @throws Error with Vite's message.
 */
export async function buildConsole(generated: ReadonlyMap<string, string> = new Map()): Promise<BuiltConsole> {
  const built = (await inProduction(() =>
    build({
      root: join(projectRoot, 'console'),
      base: served,
      // Addresses are relative: to the page's address in the page, to each other in the scripts. So another folder
      // works too.
      experimental: {
        renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? served + name : { relative: true }),
      },
      configFile: false,
      envDir: false,
      logLevel: 'silent',
      mode: 'production',
      plugins: [asGenerated(generated), react()],
      build: {
        write: false,
        target: 'es2023',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: { output: { assetFileNames: 'assets/[name]-[hash][extname]' } },
      },
    }),
  )) as Rollup.RollupOutput;
  const files = built.output.map(({ fileName, ...file }): [string, string] => {
    const content = file.type === 'chunk' ? file.code : String(file.source);
    return [`${consoleFolder}/${fileName}`, `${withUnixLineEnds(content).trimEnd()}\n`];
  });
  return {
    files: files.sort(([a], [b]) => (a < b ? -1 : 1)),
    modules: built.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  };
}

/** Vite and React's plugin read the mode from the environment, and a test runner sets another one. */
async function inProduction<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  }
}

function asGenerated(generated: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'countersign-generated',
    enforce: 'pre',
    load: (id) => generated.get(relative(projectRoot, id).replaceAll(sep, '/')) ?? null,
  };
}
