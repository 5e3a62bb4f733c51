/** Which pages this installation has. Separate from the code that serves them, because a start only lists them. */
import { existsSync } from 'node:fs';
import { root as projectFolder } from '../../../contract/root.ts';

/** The folder of the built console, below the root. */
export const consoleFolder = 'generated/console/';

const reference = 'generated/reference';
// In a checkout, Scalar's script is where npm has installed it. A copy in a built folder comes first.
const scalar = 'node_modules/@scalar/api-reference/dist/browser/standalone.js';

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** The files of the reference by address: their media type, and the places below the root where they may be. */
export const referenceFiles: Readonly<Record<string, { readonly type: string; readonly places: readonly string[] }>> = {
  '/reference/': { type: html, places: [`${reference}/index.html`] },
  '/reference/index.html': { type: html, places: [`${reference}/index.html`] },
  '/reference/control.html': { type: html, places: [`${reference}/control.html`] },
  '/reference/page.js': { type: script, places: [`${reference}/page.js`] },
  '/reference/page.css': { type: 'text/css; charset=utf-8', places: [`${reference}/page.css`] },
  '/reference/sandbox.js': { type: script, places: [`${reference}/sandbox.js`] },
  '/reference/scalar.js': { type: script, places: [`${reference}/scalar.js`, scalar] },
};

/** Whether the console can be served. A package may not contain it. @param root only a test passes another one */
export function isConsoleThere(root: URL = projectFolder): boolean {
  return existsSync(new URL(`${consoleFolder}index.html`, root));
}

/** Whether all files of the reference exist. */
export function isReferenceThere(root: URL = projectFolder): boolean {
  return Object.values(referenceFiles).every(({ places }) => places.some((place) => existsSync(new URL(place, root))));
}
