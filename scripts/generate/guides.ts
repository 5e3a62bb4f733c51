/** Joins the guides of `openapi/guides/` with their tables and pictures. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readWorkflows } from '../lib/arazzo.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { withUnixLineEnds } from '../lib/project.ts';
import { machineDiagram, sequenceDiagram } from './diagrams.ts';
import { drawMachine, drawSequence } from './pictures.ts';
import { machines, sequences } from './states.ts';
import { transitionTable, writeTables } from './tables.ts';
import { workflowsFolded, workflowsList } from './workflows.ts';

/** Every picture by the name that a guide uses: an SVG element as text. */
export function drawPictures(): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...machines.map((machine) => [machine.name, drawMachine(machine)]),
    ...sequences.map((sequence) => [sequence.name, drawSequence(sequence)]),
  ]);
}

const diagrams: Readonly<Record<string, string>> = Object.fromEntries([
  ...machines.map((machine) => [machine.name, machineDiagram(machine)]),
  ...sequences.map((sequence) => [sequence.name, sequenceDiagram(sequence)]),
]);

/** The text of the guides, for the bundle and for the reference. */
export interface Guides {
  /** Markdown without pictures; states are tables. */
  readonly text: string;
  /**
   * The same with a place for each picture, `<div class="picture picture-NAME">`. The table of states is collapsed
   * below it.
   */
  readonly illustrated: string;
  /** The content of each guide's file by its path, with its tables, for readers of the repository. */
  readonly files: ReadonlyMap<string, string>;
}

/** What `npm run generate` wrote into a guide, with its two markers. It is not read again. */
const block = /<!-- begin (\w+): ([\w-]+) -->[\s\S]*?<!-- end \1: \2 -->/g;
const marker = /<!-- (table|states|picture|flows): ([\w-]+) -->/g;

/**
 * Reads the guides of a project in the order of their names.
 *
 * @throws Error if a guide asks for an unknown table or picture, or an error code isn't explained.
 */
export async function readGuides(root: string, contract: ContractDocument): Promise<Guides> {
  const folder = join(root, 'openapi/guides');
  const read = async (file: string): Promise<string> => withUnixLineEnds(await readFile(file, 'utf8'));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  const sources = await Promise.all(names.map((name) => read(join(folder, name))));
  const guides = sources.map((text, index) => withoutBlocks(text, names[index] ?? ''));
  const tables = writeTables({
    contract,
    meanings: parse(await read(join(folder, 'errors.yaml'))) as Record<string, string>,
    decisions: await read(join(root, 'openapi/DECISIONS.md')),
  });
  const states = Object.fromEntries(machines.map((machine) => [machine.name, transitionTable(machine)]));
  const pictures = drawPictures();
  const workflows = readWorkflows(root);
  const find = (kind: string, name: string): string => {
    const found = { table: tables, states, picture: pictures }[kind]?.[name];
    if (found === undefined) throw new Error(`A guide asks for the ${kind} "${name}", and there is no such ${kind}`);
    return found;
  };
  const fill = (illustrated: boolean) => (_: string, kind: string, name: string) => {
    if (kind === 'flows') return illustrated ? workflowsFolded(workflows) : workflowsList(workflows);
    if (kind === 'snippet') return '';
    const found = find(kind, name);
    if (kind === 'table') return found;
    const place = illustrated ? `<div class="picture picture-${name}"></div>` : '';
    if (kind === 'picture') return place;
    return illustrated ? `${place}\n\n<details><summary>As a table</summary>\n\n${found}\n\n</details>` : found;
  };
  // In a file of its own the decisions would be there twice, and a picture is drawn by who shows the file.
  const fillFile = (_: string, kind: string, name: string): string => {
    const own =
      name === 'decisions'
        ? 'They are in [DECISIONS.md](../DECISIONS.md), each under its number.'
        : kind === 'flows'
          ? workflowsList(workflows)
          : [diagrams[name], kind === 'picture' ? '' : find(kind, name)].filter(Boolean).join('\n\n');
    return `<!-- begin ${kind}: ${name} -->\n\n${own}\n\n<!-- end ${kind}: ${name} -->`;
  };
  const compose = (illustrated: boolean): string => {
    const text = guides.map((guide) => guide.trim()).join('\n\n');
    return text.replaceAll(/<!-- (\w+): ([\w-]+) -->/g, fill(illustrated)).replaceAll(/\n{3,}/g, '\n\n');
  };
  const text = compose(false);
  const files = guides.map((guide, index): [string, string] => [
    `openapi/guides/${names[index]}`,
    guide.replaceAll(marker, fillFile),
  ]);
  return { text, illustrated: compose(true), files: new Map(files) };
}

/** A guide as it is written by hand, with a marker in place of each block. @throws Error for half a block */
function withoutBlocks(text: string, name: string): string {
  const guide = text.replaceAll(block, '<!-- $1: $2 -->');
  const [half] = /<!-- (?:begin|end) [^>]*-->/.exec(guide) ?? [];
  if (half === undefined) return guide;
  throw new Error(`${name} has "${half}" without its other end. Leave one marker, such as <!-- table: errors -->.`);
}
