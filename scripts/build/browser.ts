/** Build plugins that make the sandbox's modules run in a page. */
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'rolldown';
import { projectRoot } from '../lib/project.ts';

/** SQLite as WebAssembly. The script that loads it looks for `sqlite3.wasm` in its own folder. */
export const sqliteWasm = createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');

/** Node modules, and the browser modules with the same functions. A folder ends with a slash. */
const counterparts: Readonly<Record<string, string>> = {
  'mocks/sandbox/node/machine/': 'mocks/sandbox/browser/machine/',
  'traffic/unpack.ts': 'mocks/sandbox/browser/unpack.ts',
};

/** Replaces Node's modules with those for a browser. */
const runtimeOfBrowser: Plugin = {
  name: 'runtime-of-browser',
  resolveId(specifier, importer) {
    if (importer === undefined || !specifier.startsWith('.')) return null;
    const path = relative(projectRoot, resolve(dirname(importer), specifier)).replaceAll('\\', '/');
    const found = Object.entries(counterparts).find(
      ([node]) => path === node || (node.endsWith('/') && path.startsWith(node)),
    );
    if (found === undefined) return null;
    const [node, browser] = found;
    return join(projectRoot, browser, path.slice(node.length));
  },
};

const regionEnd = '//#endregion';
const opfsWorker = 'new URL("sqlite3-opfs-async-proxy.js", import.meta.url)';

/**
 * Removes the parts of SQLite that we don't use. They look up the files of SQLite's workers, which confuses an app's
 * bundler: the files would need to exist, and would double the size.
 * @throws Error if a new version of SQLite looks different.
 */
const slimSqlite: Plugin = {
  name: 'slim-sqlite',
  transform: {
    filter: { id: /[\\/]@sqlite\.org[\\/]sqlite-wasm[\\/]dist[\\/]index\.mjs$/ },
    handler(code) {
      const end = code.indexOf(regionEnd);
      const [name] = /\bsqlite3_bundler_friendly_default\b/.exec(code.slice(0, end)) ?? [];
      if (name === undefined || code.split(opfsWorker).length !== 2) {
        throw new Error(
          "The SQLite package has a structure that scripts/build/browser.ts doesn't know. Adapt it to the new version.",
        );
      }
      return `${code.slice(0, end).replace(opfsWorker, 'new URL("about:blank")')}\nexport default ${name};\n`;
    },
  },
};

/** Keys whose value is data. A `description` inside such a value isn't prose. */
const data: readonly string[] = ['examples', 'example', 'default', 'const', 'enum'];

/** Removes the descriptions from the contracts, about half of their size. The sandbox never reads them. */
const withoutProse: Plugin = {
  name: 'without-prose',
  transform: {
    filter: { id: /[\\/]generated[\\/](?:openapi|control)\.json$/ },
    handler: (code) => JSON.stringify(leaveOutProse(JSON.parse(code), 'document')),
  },
};

function leaveOutProse(node: unknown, key: string): unknown {
  if (Array.isArray(node)) return node.map((one) => leaveOutProse(one, ''));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).flatMap(([name, value]): [string, unknown][] => {
    if (['description', 'summary'].includes(name) && typeof value === 'string') return [];
    // A schema's property may have any name, including one of these.
    return [[name, data.includes(name) && key !== 'properties' ? value : leaveOutProse(value, name)]];
  });
  return Object.fromEntries(kept);
}

/** All plugins that the sandbox needs to run in a page. */
export const forPages: readonly Plugin[] = [runtimeOfBrowser, slimSqlite, withoutProse];
