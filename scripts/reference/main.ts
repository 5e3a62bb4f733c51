/** `npm run reference`: builds `generated/reference/`, a folder that any web server or a double click can open. */
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { generateAll, writeGenerated } from '../generate/main.ts';
import { scalarScript } from '../generate/reference.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';

const startedAt = performance.now();
try {
  const files = await generateAll();
  await writeGenerated(new Map([...files].filter(([path]) => path.startsWith('generated/reference/'))));
  await copyFile(scalarScript.from, join(projectRoot, scalarScript.to));
  const { size } = await stat(join(projectRoot, scalarScript.to));
  console.log(`  scalar.js, ${(size / 1_000_000).toFixed(1)} MB, as it is installed`);
  console.log(`generated/reference/index.html is built (${secondsSince(startedAt)})`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
