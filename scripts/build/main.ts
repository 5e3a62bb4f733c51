/**
 * `npm run build`: writes dist/, what `npm pack` puts into the package: plain JavaScript, its declarations, and the
 * bundled contract at the place where the sandbox looks for it. `npm pack` runs it by itself.
 */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../../cli/command/command.ts';
import { Finding } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

export const command = defineCommand({
  name: 'build',
  call: 'npm run build',
  script: 'build',
  does: 'write dist/, which npm pack packs',
  flags: {},
  examples: [['', 'build it again']],
  async run({ output }) {
    const startedAt = performance.now();
    await rm(join(projectRoot, 'dist'), { recursive: true, force: true });
    const { code, output: report } = await runTool(['typescript', 'tsc'], ['-p', 'package']);
    if (code !== 0) throw new Finding(report.trim());
    await copyFile(join(projectRoot, 'generated/openapi.json'), join(projectRoot, 'dist/generated/openapi.json'));
    await copyFile(join(projectRoot, 'redocly.yaml'), join(projectRoot, 'dist/redocly.yaml'));
    // npm pack --json prints its report to stdout.
    output.stderr(`dist/ is built (${secondsSince(startedAt)})\n`);
    return 0;
  },
});

if (import.meta.main) await runScript(command);
