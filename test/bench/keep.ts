/** Saves a run: all of it in `latest.json`, its tables in the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './report.ts';
import type { Result } from './results.ts';

const begin = '<!-- begin: the recorded run, written by --record -->';
const end = '<!-- end: the recorded run -->';

/** Puts the tables between the markers of a page. @throws Error if the page has no markers. */
export function placeReport(page: string, tables: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no "${begin}" before "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${tables}\n\n${page.slice(to)}`;
}

/** Saves both. @param folder the folder with the README, `test/bench`. */
export function keep(result: Result, folder: string): void {
  const readme = join(folder, 'README.md');
  writeFileSync(readme, placeReport(readFileSync(readme, 'utf8'), report(result)));
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(result, null, 2)}\n`);
}
