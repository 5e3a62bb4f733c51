/** Saves a run: all of it in `latest.json`, its tables in the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
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

/** Saves both in a project. @returns the paths of the two files */
export function keep(result: Result, root: string = projectRoot): string[] {
  const [readme, latest] = ['test/bench/README.md', 'test/bench/latest.json'] as const;
  writeFileSync(join(root, readme), placeReport(readFileSync(join(root, readme), 'utf8'), report(result)));
  writeFileSync(join(root, latest), `${JSON.stringify(result, null, 2)}\n`);
  return [readme, latest];
}
