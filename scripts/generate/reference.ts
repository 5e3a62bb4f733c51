/**
 * Writes the pages of the reference: one for each contract, with one copy of Scalar and nothing from another server.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractDocument } from '../lib/contract.ts';
import { projectRoot, withUnixLineEnds } from '../lib/project.ts';
import { drawPictures } from './guides.ts';
import { makeControlReadable, makeReadable } from './readable.ts';

const folder = 'generated/reference';
const sources = join(projectRoot, 'scripts/generate/reference');
const scalar = join(projectRoot, 'node_modules/@scalar/api-reference');

/** The only file of the reference that isn't generated but copied from a package: Scalar, for browsers. */
export const scalarScript = { from: join(scalar, 'dist/browser/standalone.js'), to: `${folder}/scalar.js` };

// The policy is also in the page itself, so that it applies wherever the page is opened. Scalar adds its styles as
// elements.
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

/** The link from the interface's page to the other page. */
export const whatSteers =
  'To steer a sandbox (clock, faults, codes), see [the reference of its control surface](control.html).';

/** What the samples of the page need. */
export const whatSamplesNeed =
  'Each operation shows its request as code: with our client (`npm install countersign`) and with curl. To send these ' +
  'requests unchanged, start a sandbox with the data of the examples: `npx countersign start --world examples`.';

interface Document extends Record<string, unknown> {
  info: { title: string; description: string };
}

/**
 * Writes the pages and their files, except Scalar itself.
 *
 * @param contract the bundled contract (JSON text)
 * @param description the contract's description with the places of the pictures
 * @param control the bundled contract of the control surface (JSON text); without it there is one page
 * @returns the text of each file by its path from the project's root.
 */
export async function writeReference(
  contract: string,
  description: string,
  control?: string,
): Promise<[path: string, text: string][]> {
  const read = async (name: string): Promise<string> => withUnixLineEnds(await readFile(join(sources, name), 'utf8'));
  const document = JSON.parse(contract) as Document;
  document.info.description = description;
  makeReadable(document as unknown as ContractDocument);
  // The scheme that the page's credential field is for. Each operation also has its own.
  document['security'] = [{ BasicAuth: [] }];
  const { version } = JSON.parse(await readFile(join(scalar, 'package.json'), 'utf8')) as { version: string };
  const template = await read('index.html');
  const write = ({ info }: Document, data: object): string => {
    const facts: Readonly<Record<string, string>> = {
      policy,
      title: info.title,
      version,
      // One value per line, so that a difference has a place, but without indentation, which would be an eighth of the
      // size. And no `<`, which could end the element.
      data: JSON.stringify(data, null, 1).replaceAll(/\n +/g, '\n').replaceAll('<', '\\u003c'),
    };
    return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => facts[name] ?? '');
  };
  const page = write(document, { contract: document, pictures: drawPictures() });
  const beside = ['page.js', 'page.css', 'sandbox.js', 'settings.js'].map(
    async (name): Promise<[string, string]> => [`${folder}/${name}`, await read(name)],
  );
  const pages: [string, string][] = [[`${folder}/index.html`, page]];
  if (control !== undefined) {
    const surface = JSON.parse(control) as Document;
    makeControlReadable(surface as unknown as ContractDocument, description);
    const controlPage = write(surface, { contract: surface, pictures: {}, isControl: true });
    pages.push([`${folder}/control.html`, controlPage]);
  }
  return [...pages, ...(await Promise.all(beside))];
}
