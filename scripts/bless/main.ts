/**
 * `npm run bless -- [DATE]`: publishes the contract as it is now as a version, `openapi/versions/DATE.json`. Exit code
 * 0 when it is published, 1 when it must not be, 2 when the command makes no sense.
 */
import { parseArgs } from 'node:util';
import { readChangelog } from '../diff/changelog.ts';
import { compareContracts } from '../diff/compare.ts';
import { writeGenerated } from '../generate/main.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { projectRoot } from '../lib/project.ts';
import { readVersions } from '../lib/versions.ts';
import { CannotBless, planVersion } from './plan.ts';

const usage = `npm run bless -- [DATE]

Publishes the contract as it is now: writes openapi/versions/DATE.json and its digest, and gives the part Unreleased of
openapi/CHANGELOG.md that date. A published version never changes.

DATE  the day of publication; info.version by default.

Exit code 0: published. 1: not, and why. 2: wrong use.`;

const contractFile = 'openapi/openapi.yaml';

/**
 * Publishes the contract of a project.
 *
 * @param root the project's folder
 * @param name the date to publish under; `info.version` by default
 * @returns what to print
 * @throws CannotBless with the cause and the repair.
 */
export async function bless(root: string, name: string | undefined): Promise<string> {
  const { versions, faults } = await readVersions(root, contractFile);
  if (faults.length > 0) throw new CannotBless(faults.join('\n'));
  const bundle = await bundleContract(root, contractFile);
  const newest = versions.at(-1)?.text;
  const changes =
    newest === undefined || newest === bundle
      ? []
      : await compareContracts(JSON.parse(newest) as ContractDocument, JSON.parse(bundle) as ContractDocument);
  const changelog = await readChangelog(root, contractFile);
  const plan = planVersion({ contractFile, name, bundle, versions, changelog, changes });
  if (plan.files.size === 0) return `${plan.name} is published already.`;
  await writeGenerated(plan.files, root);
  return [`${plan.name} is published. Commit:`, ...[...plan.files.keys()].map((file) => `  ${file}`)].join('\n');
}

function readOptions() {
  try {
    return parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', default: false } } });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

if (import.meta.main) {
  const { values, positionals } = readOptions();
  if (values.help) {
    console.log(usage);
  } else if (positionals.length > 1) {
    console.error(`One DATE, not ${positionals.length}.\n\n${usage}`);
    process.exitCode = 2;
  } else {
    try {
      console.log(await bless(projectRoot, positionals[0]));
    } catch (error) {
      if (!(error instanceof CannotBless)) throw error;
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}
