/** Promise: the benchmark runs as a command and measures, whatever the figures are. */
import { expect, it } from 'vitest';
import { run } from '../support/process/process.ts';

it('measures what was asked for and ends with 0, whether goals are met or not', async () => {
  const flags = ['--only', 'raw,sandbox', '--rounds', '1', '--seconds', '0.1', '--many', '0', '--starts', '0'];
  const bench = run('test/bench/main.ts', flags);
  expect(await bench.exit, bench.output()).toBe(0);
  expect(bench.output()).toMatch(/\| POST \/quotes +\| sandbox +\| +\d/);
  expect(bench.output()).toMatch(/\| first reply .*\| not measured +\|/);
  expect(bench.output()).toMatch(/\| list cost independent .*\| not measured +\|/);
});
