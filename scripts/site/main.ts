/** `npm run site`: builds the site, a folder that any static host can serve. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding, WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { findInPage, inPageFiles } from '../../mocks/sandbox/node/inPage.ts';
import { scalarScript } from '../generate/reference.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { planSite } from './plan.ts';

// A folder with this file is an earlier build, so it may be replaced.
const marker = '.countersign-site';

export const command = defineCommand({
  name: 'site',
  call: 'npm run site',
  script: 'site',
  does: 'build the published site as a folder for any static host',
  about: `
Builds a folder for any static host: start page, reference, console, documentation with a search, contract as JSON and
YAML for each version, changelog between versions, llms.txt, and a Markdown page for each operation, schema and guide.`,
  flags: {
    out: {
      type: 'string',
      value: 'FOLDER',
      does: 'where to write: a new or empty folder, or an earlier site, which is replaced (default site)',
      default: 'site',
    },
    base: { type: 'string', value: 'URL', does: "the site's address, for absolute links in llms.txt" },
  },
  examples: [
    ['', 'build site/'],
    ['--base https://api.example.com/docs/', 'with absolute links in llms.txt'],
  ],
  ends: 'Exit codes: 0 made, 1 the contract or a published version has a fault, 2 wrong use, 3 a fault of Countersign.',
  async run({ flags: { out, base }, output }) {
    if (base !== undefined && !(/^https?:\/\/./.test(base) && URL.canParse(base))) {
      throw new WrongUse(`--base takes an address such as https://api.example.com/docs/, not "${base}".`);
    }
    const startedAt = performance.now();
    const folder = resolve(projectRoot, out);
    await refuseOthers(folder);
    const progress = (line: string): void => output.stdout(`  ${line}\n`);
    const files = await planSite({ root: projectRoot, base, progress }).catch((error: unknown) => {
      throw asFinding(error);
    });
    await rm(folder, { recursive: true, force: true });
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await copyFile(scalarScript.from, join(folder, 'reference/scalar.js'));
    await copySandbox(folder);
    await writeFile(join(folder, marker), '');
    // Tells GitHub Pages to serve the files unchanged.
    await writeFile(join(folder, '.nojekyll'), '');
    output.stdout(`${files.size + 1 + inPageFiles.length} files are in ${folder} (${secondsSince(startedAt)})\n`);
    return 0;
  },
});

/** Copies the sandbox that runs in the pages to the root: a service worker only serves pages below its own folder. */
async function copySandbox(folder: string): Promise<void> {
  const built = await findInPage(pathToFileURL(`${projectRoot}/`));
  for (const name of inPageFiles) await copyFile(join(built, name), join(folder, name));
}

/** @throws WrongUse if the folder has anything that isn't a site of ours. */
async function refuseOthers(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  if (names.length === 0 || names.includes(marker)) return;
  throw new WrongUse(`${folder} has other files. Choose another --out, or empty the folder.`);
}

if (import.meta.main) await runScript(command);
