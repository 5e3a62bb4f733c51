/** Describes what the figures depend on: the machine, and the versions of the software. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type Machine, median } from './results.ts';

const measured = ['@stoplight/prism-http-server', '@scalar/mock-server', 'autocannon', 'pg'];

/** @param syncFile a temporary file to measure the disk with. */
export function describeMachine(syncFile: string): Machine {
  const cores = cpus();
  const ofPackages = measured.flatMap((name) => {
    const version = versionOf(name);
    return version === undefined ? [] : [[name, version]];
  });
  return {
    cores: cores.length,
    processor: cores[0]?.model.trim() || 'model unknown',
    memoryBytes: totalmem(),
    system: `${platform()} ${release()}`,
    syncMs: measureSync(syncFile),
    versions: { node: process.versions.node, sqlite: process.versions['sqlite'], ...Object.fromEntries(ofPackages) },
  };
}

/** The checked-out commit, marked if files differ from it; null outside a repository. */
export function currentCommit(folder = projectRoot): string | null {
  try {
    // `--exclude`: show the commit itself, not the tag before it.
    const args = ['describe', '--always', '--dirty', '--exclude', '*', '--abbrev=12'];
    return execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** Undefined for a compared package if this run compares with another. */
function versionOf(name: string): string | undefined {
  const manifest = [import.meta.dirname, projectRoot]
    .map((folder) => join(folder, 'node_modules', name, 'package.json'))
    .find((file) => existsSync(file));
  return manifest === undefined
    ? undefined
    : (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function measureSync(file: string): number {
  const descriptor = openSync(file, 'w');
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now();
    writeSync(descriptor, Buffer.alloc(4096));
    fsyncSync(descriptor);
    return performance.now() - startedAt;
  });
  closeSync(descriptor);
  return median(times);
}
