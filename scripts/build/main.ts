/**
 * `npm run build`: writes dist/, what `npm pack` puts into the package: plain JavaScript, its declarations, and the
 * bundled contract at the place where the sandbox looks for it. `npm pack` runs it by itself.
 */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

const startedAt = performance.now();
await rm(join(projectRoot, 'dist'), { recursive: true, force: true });
const { code, output } = await runTool(['typescript', 'tsc'], ['-p', 'package']);
if (code !== 0) {
  console.error(output.trim());
  process.exit(1);
}
await copyFile(join(projectRoot, 'generated/openapi.json'), join(projectRoot, 'dist/generated/openapi.json'));
// npm pack --json prints its report to stdout.
console.error(`dist/ is built (${secondsSince(startedAt)})`);
