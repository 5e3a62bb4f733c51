/**
 * Promise: phrases that confuse our readers are found in all our texts, each once and at its place. The same sentence
 * in plain English passes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { phrases } from '../../scripts/check/words/phrases.ts';
import { bannedIn, findBannedPhrases } from '../../scripts/check/words.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const found = (file: string, source: string): string[] =>
  bannedIn(file, source).map(({ line, phrase }) => `${line} ${phrase}`);

test('no text of the project has one of them, and every exception is needed', async () => {
  expect(await findBannedPhrases(projectRoot)).toEqual([]);
});

/** Each phrase, a sentence with it, and what we write instead. */
const sentences: readonly (readonly [phrase: string, before: string, after: string])[] = [
  ['whoever', 'It is shown to whoever asks.', 'It is shown to every client that asks.'],
  ['anew', 'The usage is counted anew.', 'The usage is counted again.'],
  ['shall', 'The code shall arrive.', 'The code must arrive.'],
  ['as ever', 'It is refused as ever.', 'It is refused as usual.'],
  ['in mind', 'Tokens are kept in mind.', 'Tokens are remembered.'],
  ['becomes of', 'It says what became of the payment.', 'It says what happened to the payment.'],
  ['is no', 'Text that is no address is refused.', "Text that isn't an address is refused. There is no other check."],
  ['has to', 'The session has to be active.', "The session must be active. You don't have to sign."],
  ['beginning state', 'Its beginning balance is 0.', 'Its initial balance is 0, from the beginning of the month.'],
  ['what it comes to', 'It tells what the payment comes to.', 'It tells the total of the payment.'],
  ['the one for the other', 'The linter takes the one for the other.', 'The linter confuses them.'],
  ['all the same', 'It was written all the same.', 'It was written anyway.'],
  ['nothing but', 'It changes nothing but the name.', 'It changes only the name.'],
  ['Of a list, …', 'Of a list, the type of its items.', 'The type of the items of a list.'],
  ['and not so', 'It reports what is not so.', 'It reports what is false, which is not so common.'],
  ['is such', 'It tells whether a node is such.', 'It tells whether a node matches. It is such a node.'],
  ['of elsewhere', 'A page of elsewhere is refused.', 'A page on another origin is refused.'],
  ['therein', 'It reads the fields therein.', 'It reads the fields in it.'],
  ['for it', 'The file stays, for it is open.', 'The file stays, because it is open. There is room for it.'],
  ['if need be', 'The folder is made if need be.', 'The folder is created if it is missing.'],
  ['which is none', 'It names an option which is none.', 'It names an unknown option, which is none of ours.'],
  ['that is none', 'A key that is none is refused.', 'An invalid key is refused, also one that is none of ours.'],
  [
    'is told',
    'The user is told so.',
    'The user sees it. Two ids are told apart by their type, if it is told to compare.',
  ],
  ['so many', 'It fails so many times.', 'It fails so many times that the test stops.'],
  ['comes to', 'The sum came to 5 USD.', 'The sum is 5 USD. The month comes to an end.'],
  ['when absent', 'The value is 5 when absent.', 'If the value is absent, it is 5.'],
  ['such a one', 'A code is such a one.', 'A code is a secret.'],
];

describe('each phrase is found once, and its plain sentence passes', () => {
  test('every phrase has a sentence here', () => {
    expect(sentences.map(([phrase]) => phrase)).toEqual(phrases.map(({ phrase }) => phrase));
  });

  test.each(sentences)('%s', (phrase, before, after) => {
    expect(found('a.md', `# Title\n\n${before}\n`)).toEqual([`3 ${phrase}`]);
    expect(found('a.md', `# Title\n\n${after}\n`)).toEqual([]);
  });
});

describe('it is found in every kind of text', () => {
  test.each([
    ['a comment', 'a.ts', 'const a = 1;\n/** For whoever asks. */\nconst b = 2;', '2 whoever'],
    ['a comment at the end of a line', 'a.mjs', 'const a = 1; // for whoever asks', '1 whoever'],
    ['a comment over two lines', 'a.ts', '/**\n * It has\n * to stay.\n */', '2 has to'],
    ['a message', 'a.ts', "throw new Error('This shall stay.');", '1 shall'],
    ['a message in two parts', 'a.ts', "const a = 'The file has ' +\n  'to be there.';", '1 has to'],
    ['a message with values', 'a.ts', 'const a = `$' + '{b} is no file.`;', '1 is no'],
    ['a text of the console', 'a.tsx', 'const a = <p>Start anew</p>;', '1 anew'],
    ['a description', 'a.yaml', 'description: It shall stay.', '1 shall'],
    ['a quotation', 'a.md', '> It has\n> to stay.', '1 has to'],
  ])('%s', (_what, file, source, place) => {
    expect(found(file, source)).toEqual([place]);
  });

  test.each([
    ['a name in code', 'a.ts', 'const anew = whoever.shall;'],
    ['a part of a word', 'a.ts', '// a marshall of shallow water'],
    ['code that a comment quotes', 'a.ts', '// `shall` is avoided'],
    ['code in a fence', 'a.md', '```\nshall\n```\n'],
    ['code in a line', 'a.md', 'The word `anew`.'],
    ['a regular expression', 'a.ts', 'const a = /shall/;'],
  ])('but not in %s', (_what, file, source) => {
    expect(found(file, source)).toEqual([]);
  });
});

describe('exceptions', () => {
  const project = (): string => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/a.ts'), '// It shall stay.\n');
    return folder;
  };
  const exception = { file: 'src/a.ts', phrase: 'shall', text: 'It shall stay', because: 'a test' };

  test('a finding names file, line, phrase, what to write, and why', async () => {
    expect(await findBannedPhrases(project(), [])).toEqual([
      expect.stringMatching(/^src\/a\.ts:1 "shall": write must, .*, because .*: \/\/ It shall stay\.$/),
    ]);
  });

  test('one that is needed silences its place, one that is not is a finding', async () => {
    expect(await findBannedPhrases(project(), [exception])).toEqual([]);
    expect(await findBannedPhrases(project(), [exception, { ...exception, phrase: 'anew' }])).toEqual([
      'src/a.ts: the exception for "anew" in "It shall stay" isn\'t needed: remove it',
    ]);
  });
});
