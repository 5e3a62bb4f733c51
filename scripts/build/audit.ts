/**
 * `node scripts/build/audit.ts`: whether what is inside the package has a known hole. Bundled packages are devDependencies,
 * which `npm audit --omit=dev` leaves out, so it looks at a copy of the lists in which they are dependencies. Asks the
 * registry; ends as `npm audit` does. It needs no package of ours installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../lib/project.ts';
import { bundledPackages } from './packages.ts';

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** Makes the bundled packages dependencies. @throws Error if one isn't a devDependency */
function withBundled<T extends Manifest>(manifest: T): T {
  const dependencies = { ...manifest.dependencies };
  const devDependencies = { ...manifest.devDependencies };
  for (const name of bundledPackages) {
    const version = devDependencies[name];
    if (version === undefined)
      throw new Error(
        `${name} is bundled (scripts/build/packages.ts) but isn't a devDependency. Add it to package.json.`,
      );
    dependencies[name] = version;
    delete devDependencies[name];
  }
  return { ...manifest, dependencies, devDependencies };
}

const read = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), 'utf8'));
const lock = read('package-lock.json') as { packages: Record<string, Manifest> };
const folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
write('package.json', withBundled(read('package.json') as Manifest));
write('package-lock.json', {
  ...lock,
  packages: { ...lock.packages, '': withBundled(lock.packages[''] as Manifest) },
});
const npm = (...args: readonly string[]) => spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status ?? 1;
// It writes again which packages are of development only; the versions stay.
const lockFailed = npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
process.exitCode = lockFailed || npm('audit', '--omit=dev', ...process.argv.slice(2));
rmSync(folder, { recursive: true });
