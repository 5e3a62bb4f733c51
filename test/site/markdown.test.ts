/**
 * Promise: a language model, or a person with a text editor, gets the whole contract as Markdown. `llms.txt` links to
 * each guide and operation, and an operation's page has everything that its caller needs.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { writeMarkdown } from '../../scripts/site/llms.ts';
import { documentedOperations } from '../../scripts/site/operationText.ts';

const contract = JSON.parse(readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8')) as ContractDocument;
const pages = writeMarkdown(contract, '');

const textOf = (path: string): string => {
  const text = pages.get(path);
  if (text === undefined) throw new Error(`There is no ${path}`);
  return text;
};

test('llms.txt lists every guide and operation once, with the site’s own address', () => {
  const ids = documentedOperations(contract).map(({ operationId }) => operationId);
  const list = writeMarkdown(contract, 'https://docs.example.com/api/').get('llms.txt') ?? '';
  const listed = [...list.matchAll(/\]\(https:\/\/docs\.example\.com\/api\/operations\/(\w+)\.md\)/g)];
  expect(listed.map(([, id]) => id).toSorted()).toEqual(ids.toSorted());
  expect(list.match(/\/api\/guides\//g)).toHaveLength(
    [...pages.keys()].filter((path) => path.startsWith('guides/')).length,
  );
});

test('an operation’s page has what a caller needs', () => {
  const page = textOf('operations/createQuote.md');
  for (const part of [
    '`POST /quotes`',
    'HTTP Basic, with a token that has `TRANSACT`',
    '| `Idempotency-Key` | header |',
    '[QuoteCreateRequest](../schemas/QuoteCreateRequest.md)',
    "import { createServiceClient } from 'countersign/client';",
    "curl -X POST 'http://localhost:4010/2025-10-13/quotes'",
    '### 201',
    '[`INSUFFICIENT_FUNDS`](../guides/errors.md#insufficient_funds)',
    '[D28](../guides/decisions.md#d28-quotes)',
  ]) {
    expect(page).toContain(part);
  }
  expect(textOf('schemas/QuoteCreateRequest.md')).toContain('| `lockedCurrencyAmount` |');
  // The address has no placeholder for a path parameter.
  for (const [path, text] of pages) if (path.startsWith('operations/')) expect(text).not.toMatch(/^curl.*\{\w+\}/m);
});

test('whatever a page names has its entry: every link leads to a page, and to a heading of it', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  const broken = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([\w./-]*)(?:#([\w-]+))?\)/g)].flatMap(([, target = '', anchor]) => {
      const page = pages.get(target === '' ? path : join(dirname(path), target));
      const headings = [...(page?.matchAll(/^#+ (.+)$/gm) ?? [])].map(([, heading = '']) => slug(heading));
      return page !== undefined && (anchor === undefined || headings.includes(anchor))
        ? []
        : [`${path}: ${target}#${anchor}`];
    }),
  );
  expect(broken.filter((one) => !one.startsWith('llms.txt: openapi.json'))).toEqual([]);
  const { length } = textOf('guides/decisions.md').match(/^## D\d+ /gm) ?? [];
  expect(length).toBeGreaterThan(80);
});
