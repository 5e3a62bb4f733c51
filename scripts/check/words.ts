/**
 * Finds the phrases that our texts avoid (`words/phrases.ts`): in comments and messages of the code, in Markdown and in
 * the contract. Our readers are engineers whose first language is often not English.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Exception, exceptions as projectExceptions } from './words/exceptions.ts';
import { phrases } from './words/phrases.ts';
import { isQuoted, textFiles, textSpans } from './words/texts.ts';

/** A phrase, and where it was found. */
export interface Finding {
  readonly index: number;
  readonly line: number;
  readonly phrase: string;
  /** The line on which it begins. */
  readonly text: string;
  readonly message: string;
}

/** What may stand for a space in a phrase: a line break with comment marks, or the seam between two strings. */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t]*(?:(?:\*|\/\/|#|>)[ \t]+)?|[ \t]?['"\x60] \+\s+['"\x60][ \t]?)`;
const compiled = phrases.map(({ form, ...phrase }) => ({
  ...phrase,
  form: new RegExp(String.raw`(?<![\w-](?=\w))(?:${form.replaceAll(' ', gap)})(?![\w-])`, 'gim'),
}));

/** Every phrase in a project's texts that no exception allows, and every exception that isn't needed. */
export async function findBannedPhrases(root: string, exceptions = projectExceptions): Promise<string[]> {
  const needed = new Set<Exception>();
  const found = await Promise.all(
    textFiles(root).map(async (file) => {
      const findings = bannedIn(file, await readFile(join(root, file), 'utf8'));
      return findings.flatMap(({ line, phrase, text, message }) => {
        const exception = exceptions.find(
          (one) => one.file === file && one.phrase === phrase && text.includes(one.text),
        );
        if (exception === undefined) return [`${file}:${line} ${message}`];
        needed.add(exception);
        return [];
      });
    }),
  );
  return [
    ...found.flat(),
    ...exceptions
      .filter((one) => !needed.has(one))
      .map(({ file, phrase, text }) => `${file}: the exception for "${phrase}" in "${text}" isn't needed: remove it`),
  ];
}

/** The phrases in the texts of one file, in order of place. */
export function bannedIn(file: string, source: string): Finding[] {
  const hits = compiled.flatMap((phrase) =>
    [...source.matchAll(phrase.form)].map(({ index }) => ({ ...phrase, index })),
  );
  if (hits.length === 0) return [];
  const spans = textSpans(file, source);
  return hits
    .filter(({ index }) => {
      const span = spans.find(({ start, end }) => start <= index && index < end);
      return (
        span !== undefined && !(span.quotes && isQuoted(file, source.slice(span.start, span.end), index - span.start))
      );
    })
    .sort((a, b) => a.index - b.index)
    .map(({ index, phrase, better, because }) => {
      const before = source.slice(0, index);
      const text =
        source
          .slice(before.lastIndexOf('\n') + 1)
          .split('\n', 1)[0]
          ?.trim() ?? '';
      const line = before.split('\n').length;
      return { index, line, phrase, text, message: `"${phrase}": write ${better}, because ${because}: ${text}` };
    });
}
