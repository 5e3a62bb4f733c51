/** `npm run reference`: builds `generated/reference/`, a folder that any web server or a double click can open. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { generateAll } from '../generate/main.ts';
import { scalarScript } from '../generate/reference.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { writeFiles } from '../lib/write.ts';

export const command = defineCommand({
  name: 'reference',
  call: 'npm run reference',
  script: 'reference',
  does: 'build the reference as a folder for any web server',
  about: 'Builds generated/reference/. Serve the folder with any web server, or open index.html as a file.',
  flags: {},
  examples: [['', 'build it']],
  ends: 'Exit codes: 0 fine, 1 the contract has a fault, 2 wrong use, 3 a fault of Countersign.',
  async run({ output }) {
    const startedAt = performance.now();
    const files = await generateAll().catch((error: unknown) => {
      throw asFinding(error);
    });
    const ofReference = new Map([...files].filter(([path]) => path.startsWith('generated/reference/')));
    for (const path of await writeFiles(ofReference, projectRoot)) output.stdout(`  wrote ${path}\n`);
    await copyFile(scalarScript.from, join(projectRoot, scalarScript.to));
    output.stdout(`  wrote ${scalarScript.to}, a copy from the package\n`);
    output.stdout(`generated/reference/index.html is built (${secondsSince(startedAt)})\n`);
    return 0;
  },
});

if (import.meta.main) await runScript(command);
