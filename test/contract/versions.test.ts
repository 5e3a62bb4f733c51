/**
 * Promise: a published version of the contract never changes, and the changelog names all changes since the newest one.
 * Publishing refuses what would break this, with the cause and the repair.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CannotBless, type Publication, planVersion } from '../../scripts/bless/plan.ts';
import { findVersionFaults } from '../../scripts/check/versions.ts';
import type { Change, Level } from '../../scripts/diff/change.ts';
import { compareChangelog, draftEntries, parseChangelog } from '../../scripts/diff/changelog.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { digest, readVersions } from '../../scripts/lib/versions.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const contractFile = 'openapi/openapi.yaml';
const bundle = (version: string, note = '') =>
  JSON.stringify({ info: { version, note }, servers: [{ url: `https://x/${version}` }], paths: {} });
const change = (level: Level, subject = 'Quote', what = 'it changed'): Change => ({
  level,
  subject,
  what,
  pointer: '',
});
const log = (...lines: string[]) => ['# Changelog', '', '## Unreleased', '', ...lines].join('\n');

const first = { name: '2025-10-13', text: bundle('2025-10-13') };
const newer = bundle('2025-10-13', 'newer');
const note = '- **compatible** `Quote`: a field.';
const published = log(note).replace('## Unreleased', '## 2025-10-13');

describe('the changelog against what diff finds', () => {
  const worst = [change('none'), change('compatible', 'Quote', 'a field'), change('warning', 'Quote', 'a default')];

  test.each<[name: string, lines: string[], changes: Change[], faults: RegExp[]]>([
    ['nothing changed, nothing is named', ['Words.'], [], []],
    ['words and examples need no line', [], [change('none')], []],
    ['a change with its line', [note], [change('compatible')], []],
    ['a change without a line', [], [change('compatible')], [/Add .*\*\*compatible\*\* `Quote`: it changed/]],
    ['a line at a lower level than the worst', [note], worst, [/Add .*\*\*warning\*\* `Quote`: a default$/]],
    ['two lines about one subject', [note, '- **warning** `Quote`: a default.'], worst, []],
    ['a line about what did not change', [note], [], [/names compatible `Quote`.*Take the line out/]],
    ['a line of another subject', ['- **warning** `Token`: x'], [change('warning')], [/Add .*`Quote`/, /`Token`/]],
    ['a break as a correction', ['- **correction** `Quote`: it never came.'], [change('breaking')], []],
    ['a correction of what breaks nobody', ['- **correction** `Quote`: x'], [change('warning')], [/Add/, /correction/]],
    ['a line that says nothing', ['- **warning** `Quote`:'], [change('warning')], [/Add/]],
  ])('%s', (_, lines, changes, faults) => {
    const found = compareChangelog(parseChangelog(log(...lines)).unreleased ?? [], changes);
    expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  test('the check asks for exactly the lines that diff writes, worst first', () => {
    const changes = [...worst, change('breaking', 'Token'), change('none', 'Label')];
    const lines = draftEntries(changes).map(({ line }) => line);
    expect(lines).toEqual(['- **breaking** `Token`: it changed', '- **warning** `Quote`: a default']);
    expect(compareChangelog(parseChangelog(log(...lines)).unreleased ?? [], changes)).toEqual([]);
  });

  test('lines of a published part are ignored', () => {
    expect(parseChangelog(`${log()}\n## 2025-10-13\n${note}`)).toMatchObject({
      unreleased: [],
      versions: ['2025-10-13'],
    });
  });
});

describe('npm run check', () => {
  const state = {
    contractFile,
    bundle: first.text,
    published: { versions: [first], faults: [] },
    changelog: published,
  };

  test.each<[name: string, given: Partial<typeof state>, changes: Change[], faults: RegExp[]]>([
    ['the newest version is the contract', {}, [], []],
    ['no version', { published: { versions: [], faults: [] } }, [], [/No version.*npm run bless/]],
    [
      'a change that the changelog names',
      { bundle: newer, changelog: `${log(note)}\n${published}` },
      [change('compatible')],
      [],
    ],
    ['a change that it does not', { bundle: newer }, [change('compatible')], [/doesn't name a change/]],
    ['only words differ', { bundle: newer }, [change('none')], []],
    [
      'a break under the same info.version, though it is named',
      { bundle: newer, changelog: `${log('- **breaking** `Quote`: gone.')}\n${published}` },
      [change('breaking')],
      [/^Since 2025-10-13: 1 breaking change, and info\.version is still/],
    ],
    [
      'a break under a later one',
      { bundle: bundle('2026-01-20'), changelog: `${log('- **breaking** `Quote`: gone.')}\n${published}` },
      [change('breaking')],
      [],
    ],
    [
      'a correction',
      { bundle: newer, changelog: `${log('- **correction** `Quote`: it never came.')}\n${published}` },
      [change('breaking')],
      [],
    ],
    ['what is named is published', { changelog: `${log(note)}\n${published}` }, [], [/no such change/]],
    [
      'a part of no version',
      { changelog: `## 2026-01-20\n${published}` },
      [],
      [/part 2026-01-20, which isn't published/],
    ],
    ['a version without a part', { changelog: '# Changelog' }, [], [/no part for 2025-10-13/]],
  ])('%s', async (_, given, changes, faults) => {
    const found = await findVersionFaults({ ...state, ...given }, async () => changes);
    expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe('the files', () => {
  function folderWith(index: unknown, files: Readonly<Record<string, string>>): string {
    const root = temporaryFolder();
    mkdirSync(join(root, 'openapi/versions'), { recursive: true });
    for (const [name, text] of Object.entries({ ...files, 'index.json': JSON.stringify(index) })) {
      writeFileSync(join(root, 'openapi/versions', name), text);
    }
    return root;
  }
  const entry = { sha256: digest(first.text) };

  test.each<[name: string, index: unknown, files: Readonly<Record<string, string>>, faults: RegExp[]]>([
    ['as published', { '2025-10-13': entry }, { '2025-10-13.json': first.text }, []],
    [
      'with the line ends of another system',
      { '2025-10-13': { sha256: digest('{\n}') } },
      { '2025-10-13.json': '{\r\n}' },
      [],
    ],
    ['altered', { '2025-10-13': entry }, { '2025-10-13.json': newer }, [/2025-10-13\.json was changed.*Restore/]],
    ['gone', { '2025-10-13': entry }, {}, [/2025-10-13\.json is missing/]],
    ['added by hand', {}, { '2025-10-13.json': first.text }, [/2025-10-13\.json isn't in index\.json.*npm run bless/]],
    ['an invalid index', [], {}, [/index\.json isn't an index/]],
    ['an index without digests', { '2025-10-13': {} }, {}, [/index\.json isn't an index/]],
    ['a day that no calendar has', { '2025-02-30': entry }, { '2025-02-30.json': first.text }, [/isn't a date/]],
    [
      'in another order',
      { '2026-01-20': entry, '2025-10-13': entry },
      { '2025-10-13.json': first.text, '2026-01-20.json': first.text },
      [/2025-10-13 after 2026-01-20/],
    ],
  ])('%s', async (_, index, files, faults) => {
    const found = await readVersions(folderWith(index, files), contractFile);
    expect(found.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
    if (faults.length === 0) expect(found.versions).toHaveLength(1);
  });

  test('a contract of another repository keeps none', async () => {
    expect(await readVersions(temporaryFolder(), 'api/openapi.yaml')).toEqual({ versions: [], faults: [] });
  });

  test('ours are as they were published', async () => {
    const { versions, faults } = await readVersions(projectRoot, contractFile);
    expect(faults).toEqual([]);
    expect(versions.length).toBeGreaterThan(0);
  });
});

describe('npm run bless', () => {
  const wish: Publication = {
    contractFile,
    bundle: first.text,
    versions: [],
    changelog: log('All of it.'),
    changes: [],
  };
  const next: Publication = {
    ...wish,
    name: '2026-01-20',
    bundle: newer,
    versions: [first],
    changelog: `${log(note)}\n${published}`,
    changes: [change('compatible')],
  };

  test('publishes under info.version, and the changelog gets the date', () => {
    const { name, files } = planVersion(wish);
    expect(name).toBe('2025-10-13');
    expect([...files]).toEqual([
      ['openapi/versions/2025-10-13.json', first.text],
      ['openapi/CHANGELOG.md', wish.changelog.replace('## Unreleased', '## 2025-10-13')],
      ['openapi/versions/index.json', expect.stringContaining(digest(first.text))],
    ]);
  });

  test('publishes a later version under its own date, and what it writes passes the check', async () => {
    const { files } = planVersion(next);
    const root = temporaryFolder();
    mkdirSync(join(root, 'openapi/versions'), { recursive: true });
    for (const [path, text] of [['openapi/versions/2025-10-13.json', first.text] as const, ...files]) {
      writeFileSync(join(root, path), text);
    }
    const after = await readVersions(root, contractFile);
    expect(after).toMatchObject({ faults: [], versions: [first, { name: '2026-01-20', text: newer }] });
    const changelog = files.get('openapi/CHANGELOG.md') ?? '';
    expect(
      await findVersionFaults({ contractFile, bundle: newer, published: after, changelog }, async () => []),
    ).toEqual([]);
  });

  test('what is published already is left alone', () => {
    expect(planVersion({ ...next, name: '2025-10-13', bundle: first.text }).files.size).toBe(0);
  });

  test.each<[name: string, given: Partial<Publication>, refusal: RegExp]>([
    ['a date with other content', { name: undefined }, /^2025-10-13 is published with another content.*bless -- DATE/],
    ['a date before the newest', { name: '2025-01-01' }, /before 2025-10-13.*later date/],
    ['no date', { name: 'v2' }, /^v2 isn't a date/],
    ['an info.version that comes later', { bundle: bundle('2026-05-05') }, /info\.version is 2026-05-05/],
    ['nothing new', { bundle: first.text, changes: [] }, /there is nothing to publish/],
    ['no part Unreleased', { changelog: published }, /no part `## Unreleased`.*2026-01-20/],
    ['a change that is not named', { changelog: `${log()}\n${published}` }, /isn't ready:\n.*Add .*`Quote`/],
    ['a break under the same address', { changes: [change('breaking')] }, /info\.version is still 2025-10-13/],
  ])('refuses %s', (_, given, refusal) => {
    const publish = () => planVersion({ ...next, ...given });
    expect(publish).toThrow(CannotBless);
    expect(publish).toThrow(refusal);
  });
});
