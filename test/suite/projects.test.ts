/**
 * Promise: a test file runs in the right Vitest project because of its imports and its folder, without an entry
 * anywhere. No helper keeps state that a test could leave to the next one in the same process.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trespassesIn } from '../../scripts/check/boundaries.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { sortTestFiles } from '../support/run/projects.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const plain = "import { test } from 'vitest';\n";
const helpers = {
  'test/support/run.ts': "import { spawn } from 'node:child_process';\nexport const run = spawn;\n",
  'test/support/far.ts':
    "import {\n  run,\n} from './run.ts';\nexport type { A } from './a.ts';\nexport const far = run;\n",
  'test/support/shapes.ts': "import type { ChildProcess } from 'node:child_process';\nexport type A = ChildProcess;\n",
};
const few = 'await Promise.all([send(), send()]);\n';
const atOnce = 'await Promise.all(Array.from({ length: 20 }, () => send()));\n';

/** The projects of one file of a planted tree. */
function projectsOf(file: string, text: string, isEverything = false): string[] {
  const root = temporaryFolder();
  for (const [path, content] of Object.entries({ ...helpers, [file]: text })) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const sorted = sortTestFiles(root, { isEverything });
  return Object.entries(sorted).flatMap(([project, files]) => (files.includes(file) ? [project] : []));
}

describe('the project of a test file', () => {
  test.each([
    ['that starts nothing', 'test/http/a.test.ts', plain, ['inProcess']],
    ['that imports child_process', 'test/http/a.test.ts', "import { spawn } from 'node:child_process';", ['processes']],
    ['with a helper that does', 'test/http/a.test.ts', "import { run } from '../support/run.ts';", ['processes']],
    ['with a helper of a helper', 'test/http/a.test.ts', "import { far } from '../support/far.ts';", ['processes']],
    ['that imports one when it runs', 'test/http/a.test.ts', "await import('../support/far.ts');", ['processes']],
    ['that needs a type of it', 'test/http/a.test.ts', "import type { A } from '../support/run.ts';", ['inProcess']],
    ['with a helper that does', 'test/http/a.test.ts', "import { A } from '../support/shapes.ts';", ['inProcess']],
    ['that opens a browser', 'test/http/a.test.ts', "import { chromium } from 'playwright-core';", ['processes']],
    ['that measures the heap', 'test/http/a.test.ts', "import v8 from 'node:v8';", ['alone']],
    ['in crash/', 'test/crash/a.test.ts', plain, ['alone']],
    ['in store/', 'test/store/a.test.ts', plain, ['inProcess', 'postgres']],
    [
      'of a PostgreSQL of its own',
      'test/store/a.test.ts',
      "import { makeDatabase } from '../support/sandbox/database.ts';",
      ['postgres'],
    ],
    [
      'of SQLite',
      'test/store/a.test.ts',
      "import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';",
      ['inProcess'],
    ],
    ['of SQLite that plants a fault', 'test/crash/a.test.ts', "import { DatabaseSync } from 'node:sqlite';", ['alone']],
    [
      'of both',
      'test/store/a.test.ts',
      "import { engine, makeDatabase } from '../support/sandbox/database.ts';",
      ['inProcess', 'postgres'],
    ],
    ['of a domain', 'test/quotes/a.test.ts', plain, ['inProcess']],
    ['of a domain that sends two at once', 'test/quotes/a.test.ts', few, ['inProcess']],
    ['of a domain that sends twenty at once', 'test/quotes/a.test.ts', atOnce, ['inProcess', 'postgres']],
    ['of rules', 'test/quotes/rules.test.ts', atOnce, ['inProcess']],
    ['of another folder that sends at once', 'test/http/a.test.ts', atOnce, ['inProcess']],
  ])('a file %s (%s)', (_what, file, text, projects) => {
    expect(projectsOf(file, text)).toEqual(projects);
  });

  test('in the long run every file of a domain and of crash/ runs on PostgreSQL too, and of a domain in a page', () => {
    expect(projectsOf('test/quotes/a.test.ts', plain, true)).toEqual(['inProcess', 'postgres', 'chromium']);
    expect(projectsOf('test/crash/a.test.ts', plain, true)).toEqual(['alone', 'postgres']);
    expect(projectsOf('test/conformance/replayed.test.ts', plain, true)).toEqual(['inProcess', 'postgres', 'chromium']);
    expect(projectsOf('test/quotes/rules.test.ts', plain, true)).toEqual(['inProcess']);
  });

  test.each([
    ['test/http/a.long.test.ts', plain, ['inProcess']],
    ['test/store/a.long.test.ts', plain, ['inProcess', 'postgres']],
    ['test/quotes/a.long.test.ts', atOnce, ['inProcess', 'postgres', 'chromium']],
  ])('%s runs in the long run alone', (file, text, projects) => {
    expect(projectsOf(file, text)).toEqual([]);
    expect(projectsOf(file, text, true)).toEqual(projects);
  });
});

describe('this suite', () => {
  test.each([true, false])('runs every file somewhere (long run: %s)', (isEverything) => {
    const { inProcess, processes, alone, postgres } = sortTestFiles(projectRoot, { isEverything });
    const files = globSync('test/**/*.test.ts', { cwd: projectRoot }).map((file) => file.replaceAll('\\', '/'));
    const all = files.filter((file) => isEverything || !file.endsWith('.long.test.ts'));
    expect(new Set([...inProcess, ...processes, ...alone, ...postgres])).toEqual(new Set(all));
    const elsewhere = new Set([...processes, ...alone]);
    expect(inProcess.filter((file) => elsewhere.has(file))).toEqual([]);
    expect(processes.filter((file) => alone.includes(file))).toEqual([]);
  });

  // The first has lines of this run's ledger, the second validators by schema. Neither depends on a platform.
  const allowed = ['test/support/ledger/coverage.ts noted', 'test/fuzz/oracle.ts validators'];

  test('a helper keeps no state in its module', () => {
    const files = globSync('test/{support/*,fuzz,simulation}/*.ts', { cwd: projectRoot }).sort();
    const kept = files
      .filter((file) => !file.endsWith('main.ts'))
      .map((file) => file.replaceAll('\\', '/'))
      // The rule is for modules of the sandbox, so each file is checked as one.
      .flatMap((file) => trespassesIn(`mocks/sandbox/${file}`, readFileSync(join(projectRoot, file), 'utf8')))
      .filter(({ rule }) => rule === 'module-state')
      .map(({ file, message }) => `${file.replace('mocks/sandbox/', '')} ${message.split(' ')[0]}`);
    expect(kept.sort()).toEqual(allowed.sort());
  });
});
