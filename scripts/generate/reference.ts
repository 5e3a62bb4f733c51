/** Writes the page of the reference: one contract, one Scalar, nothing from elsewhere. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, withUnixLineEnds } from '../lib/project.ts';
import { noteAssumptions } from './basisNotes.ts';
import { drawPictures } from './guides.ts';

const folder = 'generated/reference';
const sources = join(projectRoot, 'scripts/generate/reference');
const scalar = join(projectRoot, 'node_modules/@scalar/api-reference');

/** The one file of the reference that is not generated but installed: Scalar, for browsers. */
export const scalarScript = { from: join(scalar, 'dist/browser/standalone.js'), to: `${folder}/scalar.js` };

// Also in the page itself, so that it holds wherever the page is opened. Scalar's styles are elements it adds.
const policy = [
  "default-src 'none'",
  "script-src 'self' file:",
  "style-src 'self' file: 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self' http://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Scalar shows a list below its key, an entry a line; the decisions behind an element are one line of small print. */
function inOneLine(key: string, value: unknown): unknown {
  return key === 'x-decision' && Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Writes the page and what lies beside it, but for Scalar itself.
 *
 * @param contract the bundled contract (JSON text)
 * @param description the contract's description with the places of the pictures
 * @returns the text of each file by its path from the project's root.
 */
export async function writeReference(contract: string, description: string): Promise<[path: string, text: string][]> {
  const read = async (name: string): Promise<string> => withUnixLineEnds(await readFile(join(sources, name), 'utf8'));
  const document = JSON.parse(contract, inOneLine) as {
    info: { title: string; description: string };
  } & Record<string, unknown>;
  document.info.description = description;
  noteAssumptions(document);
  const { version } = JSON.parse(await readFile(join(scalar, 'package.json'), 'utf8')) as { version: string };
  const facts: Readonly<Record<string, string>> = {
    policy,
    title: document.info.title,
    version,
    // A line for each value, so that a difference has a place; and no `<`, which could end the element.
    data: JSON.stringify({ contract: document, pictures: drawPictures() }, null, 1).replaceAll('<', '\\u003c'),
  };
  const page = (await read('index.html')).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => facts[name] ?? '');
  const beside = ['page.js', 'page.css', 'settings.js'].map(
    async (name): Promise<[string, string]> => [`${folder}/${name}`, await read(name)],
  );
  return [[`${folder}/index.html`, page], ...(await Promise.all(beside))];
}
