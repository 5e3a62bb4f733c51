/** `npm run site`: makes a folder that any static host can serve. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { scalarScript } from '../generate/reference.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { planSite } from './plan.ts';

const usage = `npm run site [-- --out FOLDER] [--base URL]

Makes a folder for any static host: start page, reference, contract as JSON and YAML for each version, changelog between
versions, llms.txt, and a Markdown page for each operation, schema and guide.

--out FOLDER  where to write (default site): a new or empty folder, or a site of before, which is replaced
--base URL    the site's address, which makes the links of llms.txt absolute

Exit code 0: made. 1: not, and why. 2: wrong use.`;

function readOptions() {
  try {
    return parseArgs({
      options: {
        out: { type: 'string', default: 'site' },
        base: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

// A folder that has this file was made here, so it may be replaced.
const marker = '.countersign-site';

const startedAt = performance.now();
const options = readOptions();
if (options.help) {
  console.log(usage);
} else if (options.base !== undefined && !/^https?:\/\/./.test(options.base)) {
  console.error(`--base takes an address such as https://api.example.com/docs/, not "${options.base}".\n\n${usage}`);
  process.exitCode = 2;
} else {
  try {
    await write(resolve(projectRoot, options.out), options.base);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

async function write(folder: string, base: string | undefined): Promise<void> {
  await refuseOthers(folder);
  const files = await planSite({ root: projectRoot, base, progress: (line) => console.log(`  ${line}`) });
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await copyFile(scalarScript.from, join(folder, 'reference/scalar.js'));
  await writeFile(join(folder, marker), '');
  // GitHub Pages serves the files as they are.
  await writeFile(join(folder, '.nojekyll'), '');
  console.log(`${files.size + 1} files are in ${folder} (${secondsSince(startedAt)})`);
}

/** @throws Error if the folder has anything that isn't a site of ours. */
async function refuseOthers(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  if (names.length === 0 || names.includes(marker)) return;
  throw new Error(`${folder} has other files. Choose another --out, or empty the folder.`);
}
