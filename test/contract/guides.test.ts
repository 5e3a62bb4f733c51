/**
 * Promise: the guides in the contract are true. Their states are those of the contract, and their tables are made from
 * the sandbox's data. A guide that asks for an unknown table or picture can't be generated.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorStatus } from '../../generated/operations.ts';
import { quoteOutcome, transferOutcome, umaOutcome } from '../../mocks/sandbox/domains/transfers/rules.ts';
import { unknownUmaReceiver } from '../../mocks/sandbox/payments/outcomes.ts';
import { magic } from '../../mocks/sandbox/proofs/magic.ts';
import { drawPictures, readGuides } from '../../scripts/generate/guides.ts';
import { machines } from '../../scripts/generate/states.ts';
import { readWorkflows } from '../../scripts/lib/arazzo.ts';
import type { ContractDocument, SchemaObject } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const contract = JSON.parse(await readFile(join(projectRoot, 'generated/openapi.json'), 'utf8')) as ContractDocument;
const description = contract.info?.description ?? '';

/** The rows of the table that follows a text, each a list of its cells. */
function tableAfter(text: string): string[][] {
  const [, after = ''] = description.split(text);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(after) ?? [];
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('states', () => {
  test.each(machines.filter(({ schema }) => schema !== undefined))(
    '$name has those of $schema, and no other',
    (machine) => {
      const schema = contract.components?.schemas?.[machine.schema ?? ''] as SchemaObject;
      expect([...machine.states].sort()).toEqual([...(schema.enum ?? [])].sort());
    },
  );

  test.each(machines)('$name: each state is reached, and each transition leads from state to state', (machine) => {
    const { states, unused = [], transitions } = machine;
    for (const { from, to } of transitions) {
      expect(states).toContain(to);
      if (from !== null) expect(states).toContain(from);
    }
    const reached = new Set(transitions.map(({ to }) => to));
    expect(states.filter((state) => !reached.has(state))).toEqual(unused);
  });

  test('every picture names its states, says what it shows, and is drawn the same twice', () => {
    const pictures = drawPictures();
    for (const { name, title, states } of machines) {
      const picture = pictures[name] ?? '';
      for (const state of states) expect(picture).toContain(`>${state}<`);
      expect(picture).toContain(`aria-label="${title}"`);
      expect(picture).not.toMatch(/NaN|undefined|url\((?!#)|href|style=|<script/);
    }
    expect(drawPictures()).toEqual(pictures);
  });
});

describe('tables', () => {
  test('errors: each code once, with its status, and an entry of its own that the index leads to', () => {
    const rows = tableAfter('`x-transport-responses`.');
    const listed = rows.flatMap(([status, codes = '']) =>
      [...codes.matchAll(/\[`(\w+)`\]\(#(\w+)\)/g)].map(([, code = '', slug]) => ({
        code,
        status: Number(status),
        slug,
      })),
    );
    expect(Object.fromEntries(listed.map(({ code, status }) => [code, status]))).toEqual(errorStatus);
    expect(listed).toHaveLength(Object.keys(errorStatus).length);
    for (const { code, status, slug } of listed) {
      expect(slug).toBe(code.toLowerCase());
      expect(description).toMatch(
        new RegExp(`^### ${code}\\n\\n\\*\\*${status}\\*\\* \\S.*\\.\\n\\nOperations: .+\\.$`, 'm'),
      );
    }
  });

  test('magic values and suffixes are those that the sandbox uses', () => {
    for (const value of Object.values(magic)) expect(description).toContain(`\`${value}\``);
    const outcomes: [text: string, decide: (key: string) => { status: string }, column: number][] = [
      ['**A quote to an external account**', quoteOutcome, 1],
      ['**A transfer**', transferOutcome, 1],
      ['and the host can be any.', (name) => umaOutcome(`${name}@host`), 2],
    ];
    for (const [text, decide, column] of outcomes) {
      const rows = tableAfter(text);
      expect(rows.length).toBeGreaterThan(4);
      for (const row of rows) {
        const key = (row[0] ?? '').replaceAll('`', '');
        if (key === unknownUmaReceiver) continue;
        expect([key, row[column]]).toEqual([key, expect.stringMatching(new RegExp(`^${decide(key).status}\\b`))]);
      }
    }
  });

  test('decisions: every one of DECISIONS.md, whole, under a heading with its number', async () => {
    const decisions = await readFile(join(projectRoot, 'openapi/DECISIONS.md'), 'utf8');
    const [, ...entries] = decisions.trim().split(/^(?=## D)/m);
    expect(entries.length).toBeGreaterThan(80);
    for (const entry of entries) expect(description).toContain(`\n#${entry.trim()}\n`);
  });

  test('no marker is left', () => {
    expect(description).not.toContain('<!--');
  });

  test("a guide's file has what it asks for, and the contract is the same from it", async () => {
    const { files, text } = await readGuides(projectRoot, contract);
    for (const [path, guide] of files) {
      expect(await readFile(join(projectRoot, path), 'utf8'), path).toBe(guide);
      expect(guide).not.toMatch(/<!-- (?:table|states|picture|flows):/);
    }
    const [root, quotes] = [temporaryFolder(), files.get('openapi/guides/09-magic-values.md') ?? ''];
    expect(quotes).toMatch(/<!-- begin table: quotes -->\n\n\| Ends in[^<]*`002`[^<]*<!-- end table: quotes -->/);
    // Whatever stands between the markers is written again.
    for (const part of ['openapi/guides', 'openapi/workflows', 'openapi/DECISIONS.md']) {
      await cp(join(projectRoot, part), join(root, part), { recursive: true });
    }
    await writeFile(join(root, 'openapi/guides/09-magic-values.md'), quotes.replaceAll('`002`', '`902`'));
    expect(await readGuides(root, contract)).toMatchObject({ files, text });
  });
});

describe('a guide that asks for an unknown table or picture', () => {
  async function projectWith(file: string, text: string): Promise<string> {
    const root = temporaryFolder();
    await mkdir(join(root, 'openapi'));
    for (const part of ['openapi/guides', 'openapi/workflows', 'openapi/DECISIONS.md']) {
      await cp(join(projectRoot, part), join(root, part), { recursive: true });
    }
    await writeFile(join(root, 'openapi/guides', file), text);
    return root;
  }

  test.each([
    ['99-new.md', '<!-- table: nothing -->', /no such table/],
    ['99-new.md', '<!-- states: nothing -->', /no such states/],
    ['99-new.md', '<!-- drawing: quote -->', /no such drawing/],
    [
      '99-new.md',
      '<!-- begin table: quotes -->',
      /99-new\.md has "<!-- begin table: quotes -->" without its other end/,
    ],
    ['99-new.md', '<!-- begin table: quotes -->\n<!-- end table: errors -->', /without its other end/],
    ['errors.yaml', 'NOT_FOUND: nothing is there', /does not explain/],
    ['errors.yaml', 'NO_CODE: nothing is there', /explains codes that the contract doesn't have: NO_CODE/],
  ])('%s with "%s" does not generate', async (file, text, message) => {
    await expect(readGuides(await projectWith(file, text), contract)).rejects.toThrow(message);
  });
});

test('every workflow is in the flows: in short for readers of the bundle, step by step on the page', async () => {
  const html = await readFile(join(projectRoot, 'generated/reference/index.html'), 'utf8');
  const page = html.replaceAll('\\u003c', '<');
  const missing = readWorkflows().filter(
    ({ name, document: { info } }) =>
      !description.includes(`- **${info.title}** (\`${name}.arazzo.yaml\`): `) ||
      !page.includes(`<summary>${info.title}</summary>`) ||
      !page.includes(`npm run workflows -- ${name}`),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});
