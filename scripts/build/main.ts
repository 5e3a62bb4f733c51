/** `npm run build`: writes dist/, the package without its command's launcher. `npm run pack` needs no dist/. */
import { join } from 'node:path';
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { buildPackage } from './build.ts';

export const command = defineCommand({
  name: 'build',
  call: 'npm run build',
  script: 'build',
  does: 'write dist/, the content of the package',
  flags: {},
  examples: [['', 'build it again']],
  async run({ output }) {
    const startedAt = performance.now();
    await buildPackage(join(projectRoot, 'dist')).catch((error: unknown) => {
      throw asFinding(error);
    });
    output.stdout(`dist/ is built (${secondsSince(startedAt)})\n`);
    return 0;
  },
});

if (import.meta.main) await runScript(command);
