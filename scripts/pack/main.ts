/** `npm run pack`: writes countersign-VERSION.tgz, the package. */
import { relative, resolve } from 'node:path';
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding } from '../../cli/command/exit.ts';
import { userFolder } from '../../cli/command/package.ts';
import { runScript } from '../../cli/command/run.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { packPackage } from './pack.ts';

export const command = defineCommand({
  name: 'pack',
  call: 'npm run pack',
  script: 'pack',
  does: 'build and pack the package: countersign-VERSION.tgz',
  about: 'Builds and packs the package in a temporary folder. It changes no file of the repository.',
  flags: {
    out: { type: 'string', value: 'FOLDER', does: 'where to write the file (default the folder of the repository)' },
  },
  examples: [
    ['', 'then: npm install -D ../countersign/countersign-0.1.0.tgz in your project'],
    ['--out ../app/vendor', 'into another folder'],
  ],
  async run({ flags: { out }, output, env }) {
    const startedAt = performance.now();
    const here = userFolder(env);
    const folder = out === undefined ? projectRoot : resolve(here, out);
    const { tarball, size } = await packPackage(folder).catch((error: unknown) => {
      throw asFinding(error);
    });
    output.stdout(
      `  wrote ${relative(here, tarball)}, ${(size / 1_000_000).toFixed(1)} MB (${secondsSince(startedAt)})\n`,
    );
    return 0;
  },
});

if (import.meta.main) await runScript(command);
