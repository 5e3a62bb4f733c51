/**
 * Promise: a tag is released only if version, changelog and published contract agree and the bill of materials has the
 * bundled packages. The workflow publishes only what was tested.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type Candidate, judgeRelease } from '../../scripts/release/release.ts';
import { reduceSbom, type Sbom } from '../../scripts/release/sbom.ts';

const ready: Candidate = {
  tag: 'v1.2.0',
  manifest: { version: '1.2.0' },
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.0\n\n- A new command.\n\n## 1.1.0\n\n- Older.\n',
  bundle: '{"openapi":"3.1.0"}',
  published: [{ name: '2025-10-13', text: '{"openapi":"3.1.0"}' }],
};

describe('a tag', () => {
  test('is ready, and takes its part of the changelog along', () => {
    expect(judgeRelease(ready)).toEqual({ faults: [], notes: '- A new command.' });
  });

  const faults: readonly (readonly [what: string, change: Partial<Candidate>, fault: string])[] = [
    [
      'of another version',
      { tag: 'v1.3.0' },
      'The tag is v1.3.0 and package.json says 1.2.0. Tag v1.2.0, or run npm version first.',
    ],
    [
      'of a package that npm refuses',
      { manifest: { version: '1.2.0', private: true } },
      'package.json has "private": true, which npm publish refuses. Remove it.',
    ],
    [
      'that the changelog does not know',
      { changelog: '# Changelog\n\n## Unreleased\n\n- A new command.\n' },
      'CHANGELOG.md has no part ## 1.2.0. Give the part Unreleased that name.',
    ],
    [
      'of which the changelog says nothing',
      { changelog: '# Changelog\n\n## 1.2.0\n\n## 1.1.0\n\n- Older.\n' },
      'The part ## 1.2.0 of CHANGELOG.md is empty. Write what changes for users.',
    ],
    [
      'with a contract that nobody published',
      { bundle: '{"openapi":"3.1.1"}' },
      'The contract changed since 2025-10-13. Publish it first: npm run bless -- DATE.',
    ],
    [
      'before the first version of the contract',
      { published: [] },
      'No version of the contract is published. Publish it first: npm run bless -- DATE.',
    ],
  ];

  test.each(faults)('%s is refused', (_, change, fault) => {
    expect(judgeRelease({ ...ready, ...change }).faults).toEqual([fault]);
  });
});

describe('the bill of materials', () => {
  const development = [{ name: 'cdx:npm:package:development', value: 'true' }];
  const full: Sbom = {
    bomFormat: 'CycloneDX',
    metadata: { component: { 'bom-ref': 'countersign@1.2.0', name: 'main', version: '1.2.0' } },
    components: [
      { 'bom-ref': 'needed@1.0.0', name: 'needed', version: '1.0.0' },
      { 'bom-ref': 'bundled@2.0.0', name: 'bundled', version: '2.0.0', properties: development },
      { 'bom-ref': 'tool@3.0.0', name: 'tool', version: '3.0.0', properties: development },
    ],
    dependencies: [
      { ref: 'countersign@1.2.0', dependsOn: ['needed@1.0.0', 'bundled@2.0.0', 'tool@3.0.0'] },
      { ref: 'bundled@2.0.0', dependsOn: ['tool@3.0.0'] },
      { ref: 'tool@3.0.0' },
    ],
  };

  test('has what is depended on and what is bundled, and no tool', () => {
    const { metadata, components, dependencies } = reduceSbom(full, [{ name: 'bundled', version: '2.0.0' }]);
    expect(metadata.component.name).toBe('countersign');
    expect(components.map(({ name, properties }) => [name, properties])).toEqual([
      ['needed', []],
      ['bundled', []],
    ]);
    expect(dependencies).toEqual([
      { ref: 'countersign@1.2.0', dependsOn: ['needed@1.0.0', 'bundled@2.0.0'] },
      { ref: 'bundled@2.0.0', dependsOn: [] },
    ]);
  });

  test('is refused if it lacks something that is inside', () => {
    expect(() => reduceSbom(full, [{ name: 'bundled', version: '2.0.1' }])).toThrow(
      "npm sbom doesn't list bundled@2.0.1. Run npm ci, and build again.",
    );
  });
});

describe('release.yml', () => {
  interface Job {
    readonly needs?: string | readonly string[];
    readonly permissions?: Readonly<Record<string, string>>;
    readonly steps: readonly {
      readonly run?: string;
      readonly uses?: string;
      readonly with?: Record<string, unknown>;
    }[];
  }
  const workflow = parse(readFileSync(join(projectRoot, '.github/workflows/release.yml'), 'utf8')) as {
    on: unknown;
    permissions: unknown;
    jobs: Record<string, Job>;
  };

  test('runs for a tag, and tests before anything is published', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(workflow.jobs['build']?.steps.flatMap(({ run = [] }) => run)).toContain('bash .ci/run');
    for (const [name, { needs = [] }] of Object.entries(workflow.jobs)) {
      if (name !== 'build') expect([needs].flat(), name).not.toEqual([]);
    }
  });

  test('only the jobs that publish may write, each where it has to', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(workflow.jobs).map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((scope) => permissions[scope] === 'write'),
    ]);
    expect(Object.fromEntries(writing)).toEqual({
      build: [],
      package: ['id-token'],
      image: ['packages'],
      site: ['pages', 'id-token'],
      notes: ['contents'],
    });
  });

  test('the package goes with its provenance, and the image for two architectures, with provenance and bill', () => {
    const { private: isPrivate, publishConfig } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    // npm publish --dry-run succeeds for a private package, but the real command doesn't.
    expect([isPrivate, publishConfig]).toEqual([undefined, { access: 'public', provenance: true }]);
    const build = workflow.jobs['image']?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action'));
    expect(build?.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', sbom: true, provenance: true });
  });
});
