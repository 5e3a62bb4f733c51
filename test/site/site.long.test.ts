/**
 * Promise: `npm run site` builds a folder that any static host can serve. Each published version keeps its address and
 * its bytes, the changelog lists breaking changes first, and every link leads to something.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LinkChecker } from 'linkinator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/lib/project.ts';
import { digest } from '../../scripts/lib/versions.ts';
import { planSite } from '../../scripts/site/plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-site-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Json = Record<string, unknown>;
type Edited = {
  info: Json;
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json> };
};

/** A project with three published versions: the second adds an operation, the third removes it and narrows a field. */
function makeProject(): { root: string; versions: ReadonlyMap<string, string> } {
  const root = join(folder, 'project');
  cpSync(join(projectRoot, 'openapi'), join(root, 'openapi'), { recursive: true });
  const first = readFileSync(join(root, 'openapi/versions/2025-10-13.json'), 'utf8');
  const second = JSON.parse(first) as Edited;
  const config = second.paths['/config']?.['get'] ?? {};
  second.paths['/limits'] = { get: { ...config, operationId: 'getLimits', summary: 'Get the limits' } };
  const third = JSON.parse(first) as Edited;
  const token = third.components.schemas['TokenCreateRequest'] as { properties: { name: Json } };
  token.properties.name['maxLength'] = 3;
  const text = (contract: Edited): string => `${JSON.stringify(contract, null, 2)}\n`;
  const versions = new Map([
    ['2025-10-13', first],
    ['2026-01-20', text(second)],
    ['2026-04-02', text(third)],
  ]);
  const index: Json = {};
  for (const [name, bundle] of versions) {
    writeFileSync(join(root, `openapi/versions/${name}.json`), bundle);
    index[name] = { sha256: digest(bundle) };
  }
  writeFileSync(join(root, 'openapi/versions/index.json'), JSON.stringify(index));
  return { root, versions };
}

describe('a site of three versions', () => {
  const project = makeProject();
  let files: Map<string, string>;
  beforeAll(async () => {
    files = await planSite({ root: project.root });
  });

  const textOf = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`The site has no ${path}`);
    return text;
  };

  test('keeps the bytes of each version, as JSON, and the same document as YAML', () => {
    for (const [name, bundle] of project.versions) {
      expect(textOf(`versions/${name}/openapi.json`)).toBe(bundle);
      expect(parse(textOf(`versions/${name}/openapi.yaml`))).toEqual(JSON.parse(bundle));
    }
    expect(parse(textOf('openapi.yaml'))).toEqual(JSON.parse(textOf('openapi.json')));
  });

  test('has a reference of each version, with a switch to the others, the newest first', () => {
    for (const name of ['2025-10-13', '2026-01-20', '2026-04-02', 'unreleased']) {
      const settings = textOf(`versions/${name}/reference/settings.js`);
      const { site } = JSON.parse(settings.slice(settings.indexOf('{'), settings.lastIndexOf('}') + 1));
      expect(site.current).toBe(name);
      expect(site.versions.map((version: { name: string }) => version.name)).toEqual([
        'unreleased',
        '2026-04-02',
        '2026-01-20',
        '2025-10-13',
      ]);
      expect(textOf(`versions/${name}/reference/index.html`)).toContain('src="../../../reference/scalar.js');
    }
    expect(textOf('versions/2026-01-20/reference/index.html')).toContain('getLimits');
    expect(textOf('versions/2026-04-02/reference/index.html')).not.toContain('getLimits');
  });

  test('its changelog goes from the newest to the oldest, and begins with what breaks', () => {
    const changelog = textOf('changelog.md');
    expect(changelog.match(/^## .+$/gm)).toEqual(['## unreleased', '## 2026-04-02', '## 2026-01-20', '## 2025-10-13']);
    const [, , third = '', second = ''] = changelog.split(/^## .+$/m);
    expect(second).toMatch(/^### What is new\n\n- `\/limits`: .*`getLimits`/m);
    expect(second).not.toContain('What breaks');
    expect(third).toMatch(/^### What breaks\n/m);
    expect(third).toContain('`getLimits`');
    expect(third).toMatch(/`maxLength`.*\(`createToken`\)/);
    const page = textOf('changelog/index.html');
    expect(page.indexOf('What breaks')).toBeGreaterThan(page.indexOf('id="2026-04-02"'));
    expect(page.indexOf('What breaks')).toBeLessThan(page.indexOf('id="2026-01-20"'));
  });

  test('every link leads to something, headings included', async () => {
    const root = join(folder, 'walked');
    for (const [path, text] of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    writeFileSync(join(root, 'reference/scalar.js'), '');
    const pages = globSync('**/*.{html,md}', { cwd: root });
    // The checker recognises Markdown by the name of the file.
    cpSync(join(root, 'llms.txt'), join(root, 'llms.md'));
    const { links } = await new LinkChecker().check({
      path: [...pages, 'llms.md'],
      serverRoot: root,
      markdown: true,
      checkFragments: true,
      linksToSkip: ['^https?://(?!localhost)'],
    });
    expect(links.filter(({ state }) => state === 'BROKEN').map(({ url, parent }) => `${parent} → ${url}`)).toEqual([]);
    expect(links.length).toBeGreaterThan(pages.length);
  });
});

test('without a published version it says what to do', async () => {
  const root = join(folder, 'unpublished');
  cpSync(join(projectRoot, 'openapi'), join(root, 'openapi'), { recursive: true });
  rmSync(join(root, 'openapi/versions'), { recursive: true });
  await expect(planSite({ root })).rejects.toThrow(
    'No version of the contract is published. Publish one: npm run bless -- DATE',
  );
});

describe('npm run site', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(projectRoot, 'scripts/site/main.ts'), ...args], { encoding: 'utf8' });

  test('makes a folder in place of the site of before', () => {
    const out = join(folder, 'out');
    for (let round = 0; round < 2; round += 1) {
      const { status, stdout, stderr } = run('--out', out);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`files are in ${out}`);
      for (const path of ['index.html', 'reference/scalar.js', '.nojekyll'])
        expect(existsSync(join(out, path))).toBe(true);
      writeFileSync(join(out, 'stale.md'), 'of the site before');
    }
    run('--out', out);
    expect(existsSync(join(out, 'stale.md'))).toBe(false);
  });

  test('never removes what it did not make', () => {
    const out = join(folder, 'others');
    mkdirSync(out);
    writeFileSync(join(out, 'thesis.md'), 'years of work');
    const { status, stderr } = run('--out', out);
    expect([status, stderr]).toEqual([2, `${out} has other files. Choose another --out, or empty the folder.\n`]);
    expect(readFileSync(join(out, 'thesis.md'), 'utf8')).toBe('years of work');
  });

  test('refuses an invalid address', () => {
    const { status, stderr } = run('--base', 'docs.example.com');
    expect(status).toBe(2);
    expect(stderr).toContain('--base takes an address such as https://api.example.com/docs/, not "docs.example.com".');
  });
});
