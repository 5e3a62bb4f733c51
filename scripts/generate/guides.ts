/** Joins the guides of `openapi/guides/` with their tables and pictures. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readWorkflows } from '../lib/arazzo.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { withUnixLineEnds } from '../lib/project.ts';
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

/** The text of the guides, for the bundle and for the reference. */
export interface Guides {
  /** Markdown without pictures; states are tables. */
  readonly text: string;
  /**
   * The same with a place for each picture, `<div class="picture picture-NAME">`. The table of states is collapsed
   * below it.
   */
  readonly illustrated: string;
}

/**
 * Reads the guides of a project in the order of their names.
 *
 * @throws Error if a guide asks for an unknown table or picture, or an error code isn't explained.
 */
export async function readGuides(root: string, contract: ContractDocument): Promise<Guides> {
  const folder = join(root, 'openapi/guides');
  const read = async (file: string): Promise<string> => withUnixLineEnds(await readFile(file, 'utf8'));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  const guides = await Promise.all(names.map((name) => read(join(folder, name))));
  const tables = writeTables({
    contract,
    meanings: parse(await read(join(folder, 'errors.yaml'))) as Record<string, string>,
    decisions: await read(join(root, 'openapi/DECISIONS.md')),
  });
  const states = Object.fromEntries(machines.map((machine) => [machine.name, transitionTable(machine)]));
  const pictures = drawPictures();
  const workflows = readWorkflows(root);
  const fill = (illustrated: boolean) => (marker: string, kind: string, name: string) => {
    if (kind === 'flows') return illustrated ? workflowsFolded(workflows) : workflowsList(workflows);
    const found = { table: tables, states, picture: pictures }[kind]?.[name];
    if (kind === 'snippet') return '';
    if (found === undefined) throw new Error(`A guide has ${marker}, but there is no such ${kind}`);
    if (kind === 'table') return found;
    const place = illustrated ? `<div class="picture picture-${name}"></div>` : '';
    if (kind === 'picture') return place;
    return illustrated ? `${place}\n\n<details><summary>As a table</summary>\n\n${found}\n\n</details>` : found;
  };
  const compose = (illustrated: boolean): string => {
    const text = guides.map((guide) => guide.trim()).join('\n\n');
    return text.replaceAll(/<!-- (\w+): ([\w-]+) -->/g, fill(illustrated)).replaceAll(/\n{3,}/g, '\n\n');
  };
  return { text: compose(false), illustrated: compose(true) };
}
