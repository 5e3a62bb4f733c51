/**
 * Promise: `npm run diff` tells how a change of the contract affects a client of the older one. Planted edits get the
 * right rating, also where `redocly diff` alone would be wrong. A breaking change is allowed only under a later
 * version.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { rewrites } from '../../scripts/diff/canonical.ts';
import { type Change, levels } from '../../scripts/diff/change.ts';
import { askTool, compareContracts } from '../../scripts/diff/compare.ts';
import { judge } from '../../scripts/diff/compatibility.ts';
import { corrections, type ToolChange } from '../../scripts/diff/rate.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { type Edit, edits } from './diff.edits.ts';

const text = readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8');
const contract = (): ContractDocument => JSON.parse(text);

/** Reverses the keys of every object; lists keep their order. */
function reordered<T>(node: T): T {
  if (Array.isArray(node)) return node.map(reordered) as T;
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).reverse();
  return Object.fromEntries(entries.map(([key, value]) => [key, reordered(value)])) as T;
}

/** The edit that a pointer belongs to: the one with the longest matching prefix. */
function ownerOf(pointer: string): Edit | undefined {
  const claims = edits.flatMap((edit) =>
    edit.at.filter((at) => pointer.startsWith(at)).map((at) => ({ edit, length: at.length })),
  );
  return claims.toSorted((a, b) => b.length - a.length)[0]?.edit;
}

describe('planted edits', () => {
  let ours: Change[];
  let tool: ToolChange[];
  beforeAll(async () => {
    const edited = contract();
    for (const { edit } of edits) edit(edited);
    // With another order of keys, which isn't a change either.
    [ours, tool] = await Promise.all([compareContracts(contract(), reordered(edited)), askTool(contract(), edited)]);
  });

  const toolPointer = ({ kind, base, revision }: ToolChange): string =>
    ((kind === 'removed' ? base : (revision ?? base))?.pointer ?? '').slice(1);

  test('there are more than 20', () => expect(edits.length).toBeGreaterThan(20));

  test.each(edits)('$name: $ours (redocly diff alone: $tool)', (edit) => {
    const mine = ours.filter(({ pointer }) => ownerOf(pointer) === edit).map(({ level }) => level);
    expect(levels.find((level) => mine.includes(level)) ?? 'unchanged').toBe(edit.ours);
    const theirs = tool.filter((change) => ownerOf(toolPointer(change)) === edit).map(({ impact }) => impact);
    const worst = (['major', 'minor', 'patch'] as const).find((impact) => theirs.includes(impact));
    expect(worst ?? 'silent').toBe(edit.tool);
  });

  test('case 115: nothing is reported that no edit did, least of all the order of keys', () => {
    expect(ours.filter(({ pointer }) => ownerOf(pointer) === undefined)).toEqual([]);
  });

  test('each correction has an edit that the tool alone gets wrong, or it must go', () => {
    const meaning = { major: 'breaking', minor: 'compatible', patch: 'compatible', silent: 'unchanged' } as const;
    const needed = edits.filter(({ tool: said, ours: right }) => meaning[said] !== right);
    expect([...new Set(needed.map(({ by }) => by))].sort()).toEqual(
      [...Object.keys(corrections), ...rewrites, 'examples', 'extensions'].sort(),
    );
  });

  test("and a rating that differs from the tool's names its correction", () => {
    for (const { by, ours: level } of edits) {
      if (by === undefined || by === 'words' || level === 'unchanged' || rewrites.includes(by)) continue;
      expect(ours.map(({ correction }) => correction)).toContain(by);
    }
  });
});

// The planted edits also show that the order of keys isn't a change.
const same: [name: string, change: (contract: ContractDocument) => ContractDocument][] = [
  ['reordered keys', reordered],
  ['file against itself', (contract) => contract],
];

test.each(byLength([], same))('case 115: no change: %s', async (_name, change) => {
  expect(await compareContracts(contract(), change(contract()))).toEqual([]);
});

describe('the verdict', () => {
  const versioned = (version: string, url = `https://api.example.com/${version}`) =>
    ({ openapi: '3.1.0', info: { version }, servers: [{ url }], paths: {} }) as unknown as ContractDocument;
  const change = (level: Change['level']): Change => ({ level, subject: '', pointer: '', what: '' });
  const broken = [change('none'), change('breaking')];

  test.each([
    ['a warning under the same version', [change('warning')], versioned('2025-10-13'), true, 'may stay'],
    ['a break under the same version', broken, versioned('2025-10-13'), false, 'is still 2025-10-13'],
    ['a break under a later version', broken, versioned('2026-01-02'), true, '2025-10-13 → 2026-01-02'],
    ['a break under an earlier version', broken, versioned('2024-01-02'), false, 'went back'],
    [
      'a break under the old address',
      broken,
      versioned('2026-01-02', 'https://x/2025-10-13'),
      false,
      'does not end in',
    ],
    ['a break under a version of another kind', broken, versioned('v2'), false, "isn't a date"],
  ])('%s', (_, changes, revision, isFine, says) => {
    expect(judge(versioned('2025-10-13'), revision, changes)).toEqual({ isFine, says: expect.stringContaining(says) });
  });
});

describe('npm run diff', () => {
  const fields = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: { type: 'string' } } };
  const schema = (required: string[]) => JSON.stringify({ ...fields, required });
  const root = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'T', version: '2025-10-13' },
    servers: [{ url: 'https://api.example.com/2025-10-13' }],
    paths: {
      '/things': {
        post: {
          operationId: 'createThing',
          requestBody: { content: { 'application/json': { schema: { $ref: 'Thing.yaml' } } } },
          responses: { 204: { description: 'Made.' } },
        },
      },
    },
  });

  /** A repository whose contract has two files and two commits. The second commit only adds a field. */
  async function repository() {
    const folder = temporaryFolder();
    const write = (name: string, content: string) => writeFileSync(join(folder, 'openapi', name), content);
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
    mkdirSync(join(folder, 'openapi'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await git('init', '-q', '-b', 'main');
    write('openapi.yaml', root);
    write('Thing.yaml', schema(['id']));
    await git('add', '.');
    await git('commit', '-qm', 'One');
    return { folder, write, git };
  }

  function diff(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { INIT_CWD: _, ...env } = process.env;
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(projectRoot, 'cli/countersign.mjs'), 'diff', ...args],
        { cwd, env },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  }

  test('compares with a commit, ends with 1 on a break, and says where', async () => {
    const { folder, write, git } = await repository();
    write('Thing.yaml', schema(['id', 'note']));
    await git('update-ref', 'refs/remotes/origin/only-there', 'HEAD');
    const { code, stdout } = await diff(folder, 'only-there');
    expect(stdout).toMatch(/^only-there → the working tree\nbreaking +Thing +\/components\/schemas\/Thing\/required /);
    expect(stdout).toMatch(/1 breaking.*info\.version is still 2025-10-13/);
    expect(code).toBe(1);
  });

  const deprecated = root.replace('createThing","requestBody":', 'createThing","deprecated":true,"requestBody":');
  const warned = { changes: [{ level: 'warning', subject: 'createThing' }], verdict: { isFine: true } };

  test.each(byLength([], ['by default it is where the branch left main, and the first commit has nothing before it']))(
    '%s',
    async () => {
      const { folder, write, git } = await repository();
      expect(await diff(folder)).toMatchObject({ code: 0, stdout: expect.stringContaining('first commit') });
      write('openapi.yaml', deprecated);
      await git('commit', '-qam', 'Two');
      await git('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
      await git('commit', '-q', '--allow-empty', '-m', 'Three');
      expect(JSON.parse((await diff(folder, '--format', 'json')).stdout)).toMatchObject(warned);
    },
  );

  test.each(byLength([], ['the commit before']))('without main it is %s', async () => {
    const { folder, write, git } = await repository();
    write('openapi.yaml', deprecated);
    await git('commit', '-qam', 'Two');
    expect(JSON.parse((await diff(folder, '--format', 'json')).stdout)).toMatchObject(warned);
  });

  test('annotates a pull request, from files that need no repository', async () => {
    const folder = temporaryFolder();
    const document = JSON.parse(root);
    document.paths['/things'].post.requestBody.content['application/json'].schema = fields;
    writeFileSync(join(folder, 'old.json'), JSON.stringify(document));
    document.paths['/things'].post.requestBody.required = true;
    writeFileSync(join(folder, 'new.json'), JSON.stringify(document));
    const { code, stdout } = await diff(folder, 'old.json', '--to', 'new.json', '--format', 'github');
    expect(stdout).toContain(
      '::error file=new.json,line=1,title=breaking%3A createThing::/paths/~1things/post/requestBody/required ',
    );
    expect(code).toBe(1);
  });

  test.each(byLength([], ['what cannot be compared ends with 2, with cause and repair']))('%s', async () => {
    const { folder, write } = await repository();
    write('whole.json', JSON.stringify({ openapi: '3.1.0', paths: {} }));
    write('broken.yaml', root.replace('Thing.yaml', 'Nothing.yaml'));
    const whole = join('openapi', 'whole.json');
    const runs = await Promise.all([
      diff(folder, 'gone', '--to', whole),
      diff(folder, 'main', '--contract', 'api.yaml'),
      diff(folder, 'gone.json', '--to', whole),
      diff(folder, '--nonsense'),
      diff(folder, join('openapi', 'broken.yaml'), '--to', whole),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    const [ref, file, base, flag, broken] = runs.map(({ stderr }) => stderr);
    expect(ref).toMatch(/knows no ref gone.*git fetch origin gone/);
    expect(file).toMatch(/no api\.yaml.*--contract/);
    expect(base).toMatch(/no file .*gone\.json/);
    expect(flag).toMatch(/--nonsense[\s\S]*npx countersign diff --help/);
    expect(broken).toMatch(/does not bundle[\s\S]*Nothing\.yaml/);
  });
});
