/**
 * Measures how well our pages, the decisions and the descriptions of the contract read: the length of their sentences and
 * the share in the passive voice. It uses retext, which knows Markdown and finds the end of an English sentence. The recorded figures
 * may only get better.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRetext from 'remark-retext';
import retextEnglish from 'retext-english';
import retextPassive from 'retext-passive';
import { unified } from 'unified';
import { VFile } from 'vfile';
import { isScalar, LineCounter, type Pair, parseDocument, visit } from 'yaml';

/** The most words of a sentence that is easy to read. */
const longest = 25;
/** A figure that is better than the recorded one by this share must be recorded. */
const slack = 0.1;

export const recordedFile = 'scripts/check/readability.json';

/** Texts that are measured together. */
const parts = {
  pages: allSentences,
  decisions: decisionSentences,
  // The descriptions of the contract and of the control surface.
  contract: contractSentences,
} as const;
export type Part = keyof typeof parts;

/** Figures of many sentences together. The shares are in percent of the sentences. */
export interface Readability {
  readonly meanWords: number;
  readonly longPercent: number;
  readonly passivePercent: number;
}

/** A sentence of a page. */
export interface Sentence {
  readonly place: string;
  readonly words: number;
  readonly isPassive: boolean;
}

const formsOfBe = new Set(['am', 'are', 'be', 'been', 'being', 'is', 'was', 'were']);

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly position?: {
    readonly start: { readonly line: number; readonly offset?: number };
    readonly end: { readonly offset?: number };
  };
}

/**
 * The pages that people read. Records (changelog, the latest results of a run) are left out. So are the decisions, because
 * they have figures of their own.
 */
export function pagesOf(root: string): string[] {
  return globSync(
    ['*.md', '{cli,client,conformance,console,contract,docs,mcp,mocks,openapi,package,scripts,test,traffic}/**/*.md'],
    {
      cwd: root,
      exclude: (path) => /(?:^|[\\/])node_modules$/.test(path),
    },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/(?:^|\/)(?:CHANGELOG|DECISIONS|latest)\.md$|^openapi\/versions\//.test(path))
    .sort();
}

/** The sentences of a page. Headings, tables and code are left out, because they aren't sentences. */
export async function sentencesOf(page: string, text: string): Promise<Sentence[]> {
  const sentences: Sentence[] = [];
  const collect = () => (tree: unknown, file: VFile) => {
    const marked = file.messages.flatMap(({ place }) => (place && 'start' in place ? (place.start.offset ?? []) : []));
    const visit = (node: Node): void => {
      if (node.type !== 'SentenceNode') {
        for (const child of node.children ?? []) visit(child);
        return;
      }
      const [from, to] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
      const words = wordsIn(node);
      const isPassive = marked.some((at) => at >= from && at < to) || hasRegularPassive(words);
      const place = `${page}:${node.position?.start.line ?? 1}`;
      if (words.length > 0) sentences.push({ place, words: words.length, isPassive });
    };
    visit(tree as Node);
  };
  const prose = unified().use(retextEnglish);
  prose.use(retextPassive);
  prose.use(collect);
  const processor = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRetext, prose, { ignore: ['heading'] });
  const file = new VFile(text);
  await processor.run(processor.parse(file), file);
  return sentences;
}

/** The words of a sentence. A code span counts as one word. */
function wordsIn(node: Node): string[] {
  if (node.type === 'WordNode') return [textOf(node).toLowerCase()];
  if (node.type === 'SourceNode') return ['`'];
  return (node.children ?? []).flatMap(wordsIn);
}

function textOf({ value, children }: Node): string {
  return value ?? (children ?? []).map(textOf).join('');
}

/** retext-passive lists only irregular participles, so this looks for those in "-ed". */
function hasRegularPassive(words: readonly string[]): boolean {
  return words.some((word, index) => {
    const before = words.slice(Math.max(0, index - 2), index);
    const between = before.at(-1) ?? '';
    const isNext = formsOfBe.has(between);
    const isBehindOne = formsOfBe.has(before[0] ?? '') && /^(?:not|never|only|also|always|often)$|ly$/.test(between);
    return /.{2}ed$/.test(word) && (isNext || isBehindOne);
  });
}

/** The figures of the sentences, rounded to one decimal. */
export function figuresOf(sentences: readonly Sentence[]): Readability {
  const percent = (count: number): number => round((100 * count) / sentences.length);
  return {
    meanWords: round(sentences.reduce((sum, { words }) => sum + words, 0) / sentences.length),
    longPercent: percent(sentences.filter(({ words }) => words > longest).length),
    passivePercent: percent(sentences.filter(({ isPassive }) => isPassive).length),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * The figures that got worse, with the longest sentences, and those that got so much better that they must be recorded.
 */
export function compareReadability(
  sentences: readonly Sentence[],
  recorded: Readability,
  part: Part = 'pages',
): string[] {
  const now = figuresOf(sentences);
  return (Object.keys(now) as (keyof Readability)[]).flatMap((figure) => {
    const [is, was] = [now[figure], recorded[figure]];
    const what = `${figure} of ${part}`;
    if (is > was) return [`${what} is ${is}, recorded is ${was}: ${advice[figure]}`, ...worst(sentences, figure)];
    if (is < was * (1 - slack)) return [`${what} got better, from ${was} to ${is}: write ${is} to ${recordedFile}`];
    return [];
  });
}

const advice: Readonly<Record<keyof Readability, string>> = {
  meanWords: 'shorten sentences, the longest first',
  longPercent: `split sentences of more than ${longest} words`,
  passivePercent: 'say who acts',
};

function worst(sentences: readonly Sentence[], figure: keyof Readability): string[] {
  return sentences
    .filter(({ isPassive }) => figure !== 'passivePercent' || isPassive)
    .sort((a, b) => b.words - a.words)
    .slice(0, 10)
    .map(({ place, words }) => `  ${place} a sentence of ${words} words`);
}

/** Compares all texts of a project with the recorded figures. */
export async function findWorseReadability(root: string): Promise<string[]> {
  const recorded = JSON.parse(await readFile(join(root, recordedFile), 'utf8')) as Record<Part, Readability>;
  const found = (Object.keys(parts) as Part[]).map(async (part) =>
    compareReadability(await parts[part](root), recorded[part], part),
  );
  return (await Promise.all(found)).flat();
}

/** The sentences of all pages of a project. */
export async function allSentences(root: string): Promise<Sentence[]> {
  const pages = pagesOf(root).map(async (page) => sentencesOf(page, await readFile(join(root, page), 'utf8')));
  return (await Promise.all(pages)).flat();
}

/** The sentences of the decisions. */
export async function decisionSentences(root: string): Promise<Sentence[]> {
  const file = 'openapi/DECISIONS.md';
  return sentencesOf(file, await readFile(join(root, file), 'utf8'));
}

/** The sentences of every description of the contract and of the control surface. A text that repeats counts once. */
export async function contractSentences(root: string): Promise<Sentence[]> {
  const files = globSync('openapi/**/*.yaml', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/^openapi\/(?:versions|lint)\//.test(path))
    .sort();
  const described = await Promise.all(
    files.map(async (file) => descriptionsOf(file, await readFile(join(root, file), 'utf8'))),
  );
  const placeOf = new Map(described.flat().map(({ place, text }) => [text, place]));
  const sentences = [...placeOf].map(async ([text, place]) =>
    (await sentencesOf(place, text)).map((sentence) => ({ ...sentence, place })),
  );
  return (await Promise.all(sentences)).flat();
}

/** The descriptions of a YAML file of the contract. Those inside an example's value are data. */
export function descriptionsOf(file: string, source: string): { readonly place: string; readonly text: string }[] {
  const lines = new LineCounter();
  const found: { place: string; text: string }[] = [];
  visit(parseDocument(source, { lineCounter: lines }), {
    Pair(_index, pair) {
      const { key, value } = pair as Pair;
      if (!isScalar(key)) return undefined;
      if (key.value === 'value') return visit.SKIP;
      if (key.value === 'description' && isScalar(value) && typeof value.value === 'string') {
        found.push({ place: `${file}:${lines.linePos(key.range?.[0] ?? 0).line}`, text: value.value });
      }
      return undefined;
    },
  });
  return found;
}
