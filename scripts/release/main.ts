/** `npm run release -- TAG`: checks whether a tag may be released, and writes the release notes. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { defineCommand } from '../../cli/command/command.ts';
import { userFolder } from '../../cli/command/package.ts';
import { runScript } from '../../cli/command/run.ts';
import { buildProgram } from '../build/build.ts';
import { bundleContract } from '../lib/bundle.ts';
import { projectRoot, withUnixLineEnds } from '../lib/project.ts';
import { readVersions } from '../lib/versions.ts';
import { judgeRelease } from './release.ts';
import { reduceSbom } from './sbom.ts';

const contractFile = 'openapi/openapi.yaml';

export const command = defineCommand({
  name: 'release',
  call: 'npm run release',
  script: 'release',
  does: 'say whether a tag may be released',
  about: `
Compares a tag with package.json, CHANGELOG.md and the published versions of the contract. It publishes nothing: the
workflow release.yml does that when you push the tag.`,
  words: [{ name: 'TAG', does: 'such as v1.2.0', isRequired: true }],
  flags: {
    notes: { type: 'string', value: 'FILE', does: "write the version's part of CHANGELOG.md to this file" },
    sbom: {
      type: 'string',
      value: 'FILE',
      does: 'write the bill of materials (CycloneDX), with the bundled packages, to this file',
    },
  },
  examples: [['v0.1.0', 'is everything ready for 0.1.0?']],
  ends: 'Exit codes: 0 ready, 1 not ready (the output says why), 2 wrong use, 3 a fault of Countersign.',
  async run({ words: [tag = ''], flags: { notes: notesFile, sbom: sbomFile }, output, env }) {
    const read = async (path: string): Promise<string> =>
      withUnixLineEnds(await readFile(join(projectRoot, path), 'utf8'));
    const { versions, faults: broken } = await readVersions(projectRoot, contractFile);
    const { faults, notes } = judgeRelease({
      tag,
      manifest: JSON.parse(await read('package.json')),
      changelog: await read('CHANGELOG.md'),
      bundle: await bundleContract(projectRoot, contractFile),
      published: versions,
    });
    for (const fault of [...broken, ...faults]) output.stderr(`${fault}\n`);
    if (broken.length + faults.length > 0) return 1;
    const here = userFolder(env);
    const write = async (file: string, text: string): Promise<void> => {
      await writeFile(resolve(here, file), text);
      output.stdout(`  wrote ${file}\n`);
    };
    if (notesFile !== undefined) await write(notesFile, `${notes}\n`);
    if (sbomFile !== undefined) await write(sbomFile, await writeSbom());
    output.stdout(`${tag} is ready.\n`);
    return 0;
  },
});

async function writeSbom(): Promise<string> {
  const dist = await mkdtemp(join(tmpdir(), 'countersign-sbom-'));
  try {
    const inside = await buildProgram(dist);
    // The project's SBOM is about a megabyte.
    const options = { cwd: projectRoot, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)(
      'npm',
      ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'],
      options,
    );
    return `${JSON.stringify(reduceSbom(JSON.parse(stdout), inside), null, 2)}\n`;
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
}

if (import.meta.main) await runScript(command);
