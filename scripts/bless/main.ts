/** `npm run bless -- [DATE]`: publishes the current contract as a version, `openapi/versions/DATE.json`. */
import { defineCommand } from '../../cli/command/command.ts';
import { Finding } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { readChangelog } from '../diff/changelog.ts';
import { compareContracts } from '../diff/compare.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { projectRoot } from '../lib/project.ts';
import { readVersions } from '../lib/versions.ts';
import { writeFiles } from '../lib/write.ts';
import { CannotBless, planVersion } from './plan.ts';

const contractFile = 'openapi/openapi.yaml';

/**
 * Publishes the contract of a project as a version.
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
  const written = await writeFiles(plan.files, root);
  return [`${plan.name} is published. Commit:`, ...written.map((file) => `  ${file}`)].join('\n');
}

export const command = defineCommand({
  name: 'bless',
  call: 'npm run bless',
  script: 'bless',
  does: 'publish the contract as a version',
  about: `
Publishes the current contract: writes openapi/versions/DATE.json and its digest, and gives the part Unreleased of
openapi/CHANGELOG.md that date. A published version never changes.`,
  words: [{ name: 'DATE', does: 'the date to publish under (default info.version)' }],
  flags: {},
  examples: [
    ['2026-01-20', 'under the day of publication'],
    ['', 'under the date of info.version: the first version of a new address'],
  ],
  ends: 'Exit codes: 0 published, 1 not published (the output says why), 2 wrong use, 3 a fault of Countersign.',
  async run({ words: [date], output }) {
    try {
      output.stdout(`${await bless(projectRoot, date)}\n`);
      return 0;
    } catch (error) {
      throw error instanceof CannotBless ? new Finding(error.message) : error;
    }
  },
});

if (import.meta.main) await runScript(command);
