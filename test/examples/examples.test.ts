/**
 * Promise: everything about an example that can be checked without installing it is right. It needs no other folder, is
 * listed, has a README of one screen and a workflow like ours, and names one version of each package.
 * examples.long.test.ts runs it.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { projectRoot } from '../../scripts/lib/project.ts';
import { runtimes } from '../support/process/runtimes.ts';
import { recipes } from './recipes.ts';

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'timeout-minutes'?: number;
        readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
      }
    >
  >;
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const folders = readdirSync(join(projectRoot, 'examples'), { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);
const filesOf = (folder: string): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', `examples/${folder}`], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '');

/** The folders that a page's table links to, in its order. */
const linked = (page: string, prefix: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\\| \\[[^\\]]+\\]\\(${prefix}([\\w-]+)/README\\.md\\)`, 'gm'))].map(
    ([, folder = '']) => folder,
  );

const ours = readdirSync(join(projectRoot, '.github/workflows'))
  .flatMap((name) => [...read(`.github/workflows/${name}`).matchAll(/uses: (\w[\w-]*\/[\w-]+)@(\S+)/g)])
  .map(([, action = '', version = '']) => [action, version] as const);
const pinned = new Map(ours);

test('every example is listed, here and in the README of the repository, and only those', () => {
  expect(linked('examples/README.md', '').sort()).toEqual(folders);
  expect(linked('README.md', 'examples/').sort()).toEqual(folders);
  expect([...recipes.map(({ folder }) => folder), 'compose'].sort()).toEqual(folders);
  expect(folders).toEqual(expect.arrayContaining(Object.keys(runtimes)));
});

describe.each(folders)('examples/%s', (folder) => {
  const files = filesOf(folder);

  test('has a README of one screen with the two commands, and says where the package comes from', () => {
    const text = read(`examples/${folder}/README.md`);
    expect(text.split('\n').length).toBeLessThan(40);
    expect(text).toMatch(/^# .+\n\n[A-Z]/);
    const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(text) ?? [];
    expect(commands.trim().split('\n')).toHaveLength(2);
    expect(commands).toContain(`countersign-${manifest.version}.tgz`);
    expect(text).toContain('](../README.md#install-the-package)');
    // The files that the README names exist.
    const named = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:py|java|go|tsx?|yaml|sh))`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  });

  test('has a package.json that is private and exact, and agrees with the repository', () => {
    const {
      private: isPrivate,
      dependencies = {},
      devDependencies = {},
    } = JSON.parse(read(`examples/${folder}/package.json`)) as {
      private: boolean;
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    const packages = Object.entries({ ...dependencies, ...devDependencies });
    expect(isPrivate).toBe(true);
    const known: Readonly<Record<string, string>> = { ...manifest.devDependencies, countersign: manifest.version };
    expect(packages).toEqual(packages.map(([name]) => [name, known[name] ?? expect.stringMatching(/^\d+\.\d+\.\d+$/)]));
    expect(packages.map(([name]) => name)).toContain('countersign');
  });

  test('has a workflow like our own, which runs its tests', () => {
    const workflow = parse(read(`examples/${folder}/.github/workflows/test.yml`)) as Workflow;
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const jobs = Object.values(workflow.jobs);
    expect(jobs.every((job) => (job['timeout-minutes'] ?? 60) <= 15)).toBe(true);
    const steps = jobs.flatMap((job) => job.steps);
    for (const { uses } of steps.filter((step) => step.uses !== undefined)) {
      const [action = '', version = ''] = uses?.split('@') ?? [];
      expect(uses).toMatch(/^(?:actions|docker)\/[\w-]+@v\d+$/);
      expect([action, version]).toEqual([action, pinned.get(action) ?? version]);
    }
    const script = steps.flatMap(({ run = [] }) => run).join('\n');
    expect(script).toMatch(/\b(?:pytest|mvn .*test|go test|npm test|make-platform)\b/);
  });

  test('reaches for nothing outside its folder, and carries nothing that is made', () => {
    const inside = `examples/${folder}/`;
    const outside = files
      .filter((file) => /\.(?:[cm]?[jt]sx?|json|py|go|java|xml|toml|ya?ml|sh)$|Dockerfile$/.test(file))
      .flatMap((file) => [...read(file).matchAll(/(?:\.\.\/)+[\w./-]*/g)].map(([path]) => [file, path] as const))
      .filter(([file, path]) => !normalize(join(file, '..', path)).startsWith(inside));
    expect(outside).toEqual([]);
    expect(
      files.filter((file) => /package-lock\.json$|\.tgz$|\/(?:dist|recordings|target|\.next)\//.test(file)),
    ).toEqual([]);
  });
});

test.each(recipes)('the fault that is planted in examples/$folder has its place', ({ folder, fault }) => {
  expect(read(`examples/${folder}/${fault.file}`).split(fault.from)).toHaveLength(2);
});
