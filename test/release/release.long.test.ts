/** Promise: the steps of release.yml that need no network run unchanged, on a project that is ready. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/lib/project.ts';
import { copyProject } from '../support/process/copy.ts';

interface Step {
  readonly run?: string;
}

const { jobs } = parse(readFileSync(join(projectRoot, '.github/workflows/release.yml'), 'utf8')) as {
  jobs: Record<string, { steps: readonly Step[] }>;
};

test('the tag is checked, the package packed, the bill written and the site made', { timeout: 300_000 }, () => {
  const { folder: copy } = copyProject();
  const read = (name: string): string => readFileSync(join(copy, name), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const changelog = read('CHANGELOG.md').replace('## Unreleased', `## ${version}`);
  writeFileSync(join(copy, 'CHANGELOG.md'), changelog);
  execFileSync('npm', ['run', 'bless', '--silent', '--', '2099-01-01'], { cwd: copy });
  const env = { ...process.env, GITHUB_REF_NAME: `v${version}`, GITHUB_REPOSITORY: 'example/countersign' };
  // Without the gate, because the gate runs this test.
  const runs = (jobs['build']?.steps ?? []).flatMap(({ run = [] }) => run).filter((run) => run !== 'bash .ci/run');
  expect(runs.length).toBeGreaterThan(3);
  for (const run of runs) {
    const { status, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', run], { cwd: copy, env, encoding: 'utf8' });
    expect([run, status], stderr).toEqual([run, 0]);
  }
  expect(read('notes.md').length).toBeGreaterThan(100);
  expect(read('site/index.html')).toContain('2099-01-01');
  const bill = JSON.parse(read('sbom.cdx.json')) as { components: { name: string }[] };
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['openapi-fetch', 'ajv', 'kysely']));
  expect(names).not.toContain('vitest');
  const tarball = `countersign-${version}.tgz`;
  const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: copy, encoding: 'utf8' });
  expect(JSON.parse(manifest).repository).toEqual({
    type: 'git',
    url: 'git+https://github.com/example/countersign.git',
  });
  // Like the job `package` publishes it, but without the registry.
  const args = ['publish', `./${tarball}`, '--access', 'public', '--dry-run', '--provenance=false'];
  const published = spawnSync('npm', args, { cwd: copy, encoding: 'utf8' });
  expect(published.status, published.stderr).toBe(0);
});
