/**
 * Promise: sentences of our pages, the decisions and the contract are counted as people read them. A text that makes the
 * whole harder to read fails the check, which names the sentences to change.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  compareReadability,
  descriptionsOf,
  figuresOf,
  findWorseReadability,
  pagesOf,
  recordedFile,
  sentencesOf,
} from '../../scripts/check/readability.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const words = (count: number): string => `${Array.from({ length: count }, () => 'word').join(' ')}.`;

test('pages are for readers: no records, and no decisions', () => {
  const pages = pagesOf(projectRoot);
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'openapi/guides/01-conventions.md']));
  expect(pages.filter((page) => /CHANGELOG|DECISIONS|latest|node_modules/.test(page))).toEqual([]);
});

describe('sentences', () => {
  test.each([
    ['each is one, at its line', 'One two.\n\nThree four five. Six\nseven.', ['1 2', '3 3', '3 2']],
    ['headings, tables and code are none', '# A title\n\n| a | b |\n|---|---|\n| c | d |\n\n```\nlet a;\n```\n', []],
    ['a list has one in each item', '- One two\n- three', ['1 2', '2 1']],
    ['code in a sentence is one word', 'Run `npm run check` now.', ['1 3']],
  ])('%s', async (_what, text, expected) => {
    const found = await sentencesOf('a.md', text);
    expect(found.map(({ place, words }) => `${place.replace('a.md:', '')} ${words}`)).toEqual(expected);
  });

  test.each([
    ['The file was written.', true],
    ['The request is refused.', true],
    ['The request is not refused.', true],
    ['The request is always refused.', true],
    ['The sandbox refuses the request.', false],
    ['You need a token.', false],
  ])('%s passive: %s', async (text, isPassive) => {
    expect((await sentencesOf('a.md', text)).map((one) => one.isPassive)).toEqual([isPassive]);
  });
});

test('a long sentence of the decisions fails the check with its place', async () => {
  const root = temporaryFolder();
  const files = {
    'README.md': 'One two.\n',
    'openapi/DECISIONS.md': `# Decisions\n\n${words(26)}\n`,
    'openapi/openapi.yaml': 'description: One two.\n',
    [recordedFile]: JSON.stringify(
      Object.fromEntries(
        ['pages', 'decisions', 'contract'].map((part) => [part, { meanWords: 2, longPercent: 0, passivePercent: 0 }]),
      ),
    ),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  expect(await findWorseReadability(root)).toEqual([
    'meanWords of decisions is 26, recorded is 2: shorten sentences, the longest first',
    '  openapi/DECISIONS.md:3 a sentence of 26 words',
    'longPercent of decisions is 100, recorded is 0: split sentences of more than 25 words',
    '  openapi/DECISIONS.md:3 a sentence of 26 words',
  ]);
});

test("a description of the contract is found with its place, and an example's data is not", () => {
  const source =
    'summary: A quote\ndescription: >-\n  One\n  two.\nexamples:\n  rent:\n    value:\n      description: Rent\n';
  expect(descriptionsOf('a.yaml', source)).toEqual([{ place: 'a.yaml:2', text: 'One two.' }]);
});

describe('the comparison', () => {
  const sentences = async () => sentencesOf('a.md', `${words(10)}\n\n${words(26)}\n\nIt is refused.`);

  test('figures are a mean and shares of the sentences', async () => {
    expect(figuresOf(await sentences())).toEqual({ meanWords: 13, longPercent: 33.3, passivePercent: 33.3 });
  });

  test('a longer sentence fails, and the longest are named first', async () => {
    const recorded = { meanWords: 12, longPercent: 33.3, passivePercent: 33.3 };
    expect(compareReadability(await sentences(), recorded)).toEqual([
      'meanWords of pages is 13, recorded is 12: shorten sentences, the longest first',
      '  a.md:3 a sentence of 26 words',
      '  a.md:1 a sentence of 10 words',
      '  a.md:5 a sentence of 3 words',
    ]);
  });

  test('a passive sentence more fails with its place', async () => {
    const recorded = { meanWords: 13, longPercent: 33.3, passivePercent: 10 };
    expect(compareReadability(await sentences(), recorded)).toEqual([
      'passivePercent of pages is 33.3, recorded is 10: say who acts',
      '  a.md:5 a sentence of 3 words',
    ]);
  });

  test('what got much better must be recorded', async () => {
    const recorded = { meanWords: 13.5, longPercent: 50, passivePercent: 33.3 };
    expect(compareReadability(await sentences(), recorded)).toEqual([
      'longPercent of pages got better, from 50 to 33.3: write 33.3 to scripts/check/readability.json',
    ]);
  });
});
