/** What the build does to the sandbox's modules so that they run in a page. */
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'rolldown';
import { projectRoot } from '../lib/project.ts';

/** SQLite as WebAssembly; it must lie beside the script that loads it, as `sqlite3.wasm`. */
export const sqliteWasm = createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');

/** Modules of Node, and those of a browser that have the same functions. A folder ends with a slash. */
const counterparts: Readonly<Record<string, string>> = {
  'mocks/sandbox/node/machine/': 'mocks/sandbox/browser/machine/',
  'traffic/unpack.ts': 'mocks/sandbox/browser/unpack.ts',
};

/** Puts the modules of a browser in the place of Node's. */
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
 * SQLite without what we don't use and bundlers of apps stumble over: they look up the files of its workers, which would
 * need to be there, and be as large again.
 * @throws Error when a new version of SQLite has another form.
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

/** What holds data: a property of it that is named `description` isn't prose. */
const data: readonly string[] = ['examples', 'example', 'default', 'const', 'enum'];

/** The contracts without what only people read, which is half of them; the sandbox never looks at it. */
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
    // A schema's property may have any name, these too.
    return [[name, data.includes(name) && key !== 'properties' ? value : leaveOutProse(value, name)]];
  });
  return Object.fromEntries(kept);
}

/** All that makes the sandbox's modules run in a page. */
export const forPages: readonly Plugin[] = [runtimeOfBrowser, slimSqlite, withoutProse];
