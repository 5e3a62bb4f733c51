/** Promise: the README is short, and a newcomer who pastes the commands of its first screen gets an answer. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { readGuide, runShell } from '../support/requests/snippets.ts';

const { text } = readGuide('README.md');

it('case 116: names the two commands on its first screen, and its first curl answers', async () => {
  const screen = text.split('\n').slice(0, 30).join('\n');
  expect(screen).toContain('npm ci && npm start\n');
  expect(screen).toContain('npm ci && npm test\n');
  const [curl] = /^curl -u sandbox:sandbox \S+$/m.exec(screen) ?? [''];
  expect(JSON.parse(await runShell(`${curl} -sS`))).toMatchObject({ totalCount: 2, hasMore: false });
});

it('has 900 words at most', () => {
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(900);
});

it('leads to docs/, which lists every page of its folder', () => {
  expect(text).toContain('](docs/README.md)');
  const list = readGuide('docs/README.md').text;
  const pages = globSync('*/*.md', { cwd: join(projectRoot, 'docs') });
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => !list.includes(`](${page})`))).toEqual([]);
});
