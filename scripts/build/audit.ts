/**
 * `node scripts/build/audit.ts`: checks the bundled packages for known vulnerabilities. They are devDependencies, which
 * `npm audit --omit=dev` skips. So this audits a copy of the manifests in which they are dependencies. It asks the
 * registry and exits with `npm audit`'s status. It runs without `npm install`.
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
// Without this, the lockfile still marks the bundled packages as dev packages. The versions stay the same.
const lockFailed = npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
process.exitCode = lockFailed || npm('audit', '--omit=dev', ...process.argv.slice(2));
rmSync(folder, { recursive: true });
