/**
 * Promise: `npm run check` shows the cause of a fault, with file and line of the source, and not the faults that follow
 * from it. One step can run alone. If its name is mistyped, the message lists the names. Running steps are shown while
 * they run.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lintContract, withoutEchoes } from '../../scripts/check/contractLint.ts';
import { createProgress } from '../../scripts/check/progress.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const problem = (ruleId: string, line: number, message: string, suggest: string[] = []) => ({
  ruleId,
  message,
  suggest,
  location: [{ source: { ref: 'openapi/Thing.yaml' }, pointer: '#/type', start: { line, col: 9 } }],
});
const cause = problem('struct', 3, 'type is strng\n\nmore words', ['string']);
const echo = problem('no-invalid-media-type-examples', 40, 'the example does not fit');
const other = problem('operation-operationId', 7, 'has no id');

describe('what the linter found', () => {
  it('is the cause alone, at its line, with what was meant', () => {
    expect(withoutEchoes([echo, cause, echo, other])).toEqual([
      'openapi/Thing.yaml:3:9 type is strng Did you mean string? (struct)',
      '2 more follow from it',
    ]);
  });

  it('is each finding once, if none is the cause of another', () => {
    expect(withoutEchoes([echo, echo, other])).toEqual([
      'openapi/Thing.yaml:40:9 the example does not fit (no-invalid-media-type-examples)',
      'openapi/Thing.yaml:7:9 has no id (operation-operationId)',
    ]);
  });

  it.each(byLength([], ['misspelt type']))('names file and line of a %s in the real contract', async () => {
    const folder = temporaryFolder();
    await cp(join(projectRoot, 'openapi'), join(folder, 'openapi'), { recursive: true });
    await cp(join(projectRoot, 'redocly.yaml'), join(folder, 'redocly.yaml'));
    const file = 'openapi/components/schemas/customers/IndividualCustomer.yaml';
    const text = await readFile(join(folder, file), 'utf8');
    await writeFile(join(folder, file), text.replace('type: string', 'type: strng'));
    const line = text.split('\n').findIndex((one) => one.includes('type: string')) + 1;
    const [first, ...more] = await lintContract(folder, 'openapi/openapi.yaml');
    expect(first).toMatch(new RegExp(`^${file}:${line}:\\d+ .*Did you mean string\\? \\(struct\\)$`));
    expect(more).toEqual([expect.stringMatching(/^\d+ more follow from it$/)]);
  });
});

describe('while steps run', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** The output while one step ends at once, one takes half a minute, and one waits for that. */
  function written(isTerminal: boolean): string {
    let text = '';
    const progress = createProgress((more) => (text += more), isTerminal, 4);
    progress.begin('quick');
    progress.begin('slow');
    progress.end('quick', 'quick ok');
    progress.begin('late', 'slow');
    vi.advanceTimersByTime(31_000);
    progress.end('slow', 'slow ok');
    progress.begin('late');
    progress.end('late', 'late ok');
    progress.stop();
    vi.advanceTimersByTime(60_000);
    return text;
  }

  it('a log has a line after each quarter of a minute in which nothing else was said, and none when all has ended', () => {
    expect(written(false).split('\n')).toEqual([
      'quick ok',
      'running: slow (15 s), late (waits for slow); 1 to come',
      'running: slow (30 s), late (waits for slow); 1 to come',
      'slow ok',
      'late ok',
      '',
    ]);
  });

  it('a terminal has one line, which is written over each second and gone before a result', () => {
    const lines = written(true).split('\r\u001b[K');
    expect(lines).toContain('running: slow (7 s), late (waits for slow); 1 to come');
    expect(lines.filter((line) => line.startsWith('running: slow')).length).toBeGreaterThan(30);
    expect(lines.filter((line) => line.includes('\n'))).toEqual(['quick ok\n', 'slow ok\n', 'late ok\n']);
    expect(lines.at(-1)).toBe('');
  });
});

describe.each(byLength([], ['npm run check']))('%s', () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['scripts/check/main.ts', ...args], { cwd: projectRoot })
      .then(({ stdout }) => ({ code: 0, says: stdout }))
      .catch(({ code, stderr }) => ({ code, says: stderr }));

  const rows: [args: string[], code: number, says: RegExp][] = [
    [['--only', 'exampels'], 2, /There is no step "exampels"[\s\S]*examples/],
    [['--help'], 0, /--only <STEP>[\s\S]*contract lint/],
    [['--onyl'], 2, /'--onyl'\. Did you mean --only\?/],
    [['--only', 'workflows'], 0, /^(?:.*\n)*workflows +ok .*\nall checks passed/],
  ];
  it.each(rows)('%j ends with %i', async (args, code, says) => {
    const result = await run(...args);
    expect(result.code, result.says).toBe(code);
    expect(result.says).toMatch(says);
  });
});
