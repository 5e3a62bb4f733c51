/** Promise: each relative link of the documentation leads to an existing file, and each anchor to a heading. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { slugOf } from '../../scripts/lib/names.ts';
import { projectRoot } from '../../scripts/lib/project.ts';

const others = ['node_modules', 'generated', 'dist', 'site', 'data', 'coverage', '.git'];
const pages = globSync('**/*.md', {
  cwd: projectRoot,
  exclude: (path) => others.some((folder) => path === folder || path.endsWith(`/${folder}`)),
});

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '');

/**
 * The anchors of a page: explicit ones, and those that GitHub makes of headings, with a number for repeated headings.
 */
function anchorsIn(text: string): Set<string> {
  const found = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const slug = slugOf(heading.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    let name = slug;
    for (let count = 1; found.has(name); count += 1) name = `${slug}-${count}`;
    found.add(name);
  }
  return found;
}

/** The dead links of a page. @param read the text of a file, undefined if it isn't there */
function deadLinks(page: string, read: (path: string) => string | undefined): string[] {
  const links = [...withoutCode(read(page) ?? '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    const text = read(target);
    return text === undefined || (anchor !== undefined && target.endsWith('.md') && !anchorsIn(text).has(anchor));
  });
}

function readProject(path: string): string | undefined {
  const file = join(projectRoot, path);
  if (!existsSync(file)) return undefined;
  return statSync(file).isDirectory() ? '' : readFileSync(file, 'utf8');
}

// In the contract's description the guides are one page, so an anchor may be in another guide. The package's README is
// read where it is installed: `package/consumer.test.ts` checks its links.
const guides = globSync('openapi/guides/*.md', { cwd: projectRoot });
const alone = pages.filter((page) => !guides.includes(page) && page !== 'package/README.md');

it('in every page of the project', () => {
  expect(alone.length).toBeGreaterThan(20);
  const dead = alone.flatMap((page) => deadLinks(page, readProject).map((link) => `${page} → ${link}`));
  expect(dead).toEqual([]);
});

it('and finds a file that is not there, a heading that is not there, and nothing else', () => {
  const files: Record<string, string> = {
    'docs/a.md': '# A b\n[1](b.md) [2](../c.md#one--two) [3](#a-b) [4](b.md#gone) [5](gone.md) [6](https://x.example)',
    'docs/b.md': '',
    'c.md': '## One & two\n```md\n# Gone\n```',
  };
  expect(deadLinks('docs/a.md', (path) => files[path])).toEqual(['b.md#gone', 'gone.md']);
});
