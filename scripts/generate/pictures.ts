/**
 * Draws state machines and sequences as SVG. Colours are classes that the page's style sheet defines, so a picture
 * follows the page from light to dark. Text stays text. dagre places states and the labels of their transitions, so a
 * changed table changes the picture without manual work. dagre is plain JavaScript and always gives the same layout.
 */
import { Graph, layout } from '@dagrejs/dagre';
import type { Machine, Sequence } from './states.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box that dagre has placed: its centre and size. */
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

const lineHeight = 15;
const columns = 16;
const start = '(start)';

/** The picture of a state machine. */
export function drawMachine(machine: Machine): string {
  const { name, title, states, transitions, unused = [] } = machine;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 14, edgesep: 8, ranksep: 24, marginx: 8, marginy: 8 });
  graph.setNode(start, { width: 12, height: 12 });
  for (const state of states) graph.setNode(state, { width: state.length * 7.4 + 16, height: 30 });
  transitions.forEach(({ from, to, when }, index) => {
    const lines = wrap(when);
    const width = Math.max(...lines.map((line) => line.length)) * 6 + 6;
    graph.setEdge(from ?? start, to, { width, height: lines.length * lineHeight + 4, labelpos: 'c' }, String(index));
  });
  layout(graph);
  const edges = transitions.map(({ from, to, when }, index) => {
    const edge = graph.edge(from ?? start, to, String(index)) as Box & { points: readonly Point[] };
    return { path: arrow(curve(edge.points), name), label: text(edge, wrap(when), 'label') };
  });
  const boxes = states.map((state) => {
    const box = graph.node(state) as Box;
    const kind = unused.includes(state) ? 'state unused' : 'state';
    return rect(box, kind) + text(box, [state], 'name');
  });
  const dot = graph.node(start) as Box;
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return svg(name, title, width, height, [
    `<circle class="start" cx="${round(dot.x)}" cy="${round(dot.y)}" r="6"/>`,
    ...edges.map(({ path }) => path),
    ...edges.map(({ label }) => label),
    ...boxes,
  ]);
}

/** The picture of a sequence: a column for each participant, a row for each message. */
export function drawSequence({ name, title, participants, messages }: Sequence): string {
  const column = 148;
  const x = (index: number): number => column / 2 + index * column;
  const rows: string[] = [];
  let y = 50;
  for (const { from, to, lines } of messages) {
    const height = lines.length * lineHeight;
    if (from === to) {
      const box = { x: x(from), y: y + height / 2 + 6, width: column - 26, height: height + 8 };
      rows.push(rect(box, 'note') + text(box, lines, 'label'));
      y += height + 24;
      continue;
    }
    const middle = { x: (x(from) + x(to)) / 2, y: y + height / 2 };
    y += height + 6;
    const inset = from < to ? 4 : -4;
    const line = `M${x(from) + inset} ${y}L${x(to) - inset} ${y}`;
    rows.push(text(middle, lines, 'label') + arrow(line, name));
    y += 12;
  }
  const heads = participants.map((participant, index) => {
    const box = { x: x(index), y: 20, width: column - 16, height: 28 };
    return `<path class="life" d="M${x(index)} 34V${y + 4}"/>${rect(box, 'state')}${text(box, [participant], 'name')}`;
  });
  return svg(name, title, column * participants.length, y + 8, [...heads, ...rows]);
}

function svg(name: string, title: string, width: number, height: number, parts: readonly string[]): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-label="${escapeText(title)}">`,
    `<defs><marker id="head-${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>`,
    ...parts,
    '</svg>',
  ].join('');
}

function arrow(path: string, name: string): string {
  return `<path class="arrow" d="${path}" marker-end="url(#head-${name})"/>`;
}

function rect({ x, y, width, height }: Box, kind: string): string {
  const [left, top] = [round(x - width / 2), round(y - height / 2)];
  return `<rect class="${kind}" x="${left}" y="${top}" width="${round(width)}" height="${round(height)}" rx="6"/>`;
}

function text({ x, y }: Point, lines: readonly string[], kind: string): string {
  const first = y - ((lines.length - 1) * lineHeight) / 2 + 4;
  const spans = lines.map(
    (line, index) => `<tspan x="${round(x)}" y="${round(first + index * lineHeight)}">${escapeText(line)}</tspan>`,
  );
  return `<text class="${kind}" text-anchor="middle">${spans.join('')}</text>`;
}

/** A smooth line: straight to the middle between two points, bent at each point. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last;
    return `Q${round(point.x)} ${round(point.y)} ${round((point.x + next.x) / 2)} ${round((point.y + next.y) / 2)}`;
  });
  return `M${round(first.x)} ${round(first.y)}${bends.join('')}L${round(last.x)} ${round(last.y)}`;
}

/** Breaks a label into lines that fit on a phone. */
function wrap(sentence: string): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
