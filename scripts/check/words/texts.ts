/** Finds our texts: which files have them, and which of their characters are text, not code. */
import { globSync } from 'node:fs';
import ts from 'typescript';

const elsewhere = [
  /^(?:dist|generated|site|data)$/,
  /(?:^|\/)node_modules$/,
  /^openapi\/versions$/,
  /^test\/(?:artifacts|conformance\/recordings)$/,
  /(?:^|\/)\.(?:git|cache)$/,
];

/** The table of phrases, and the tests that plant phrases. */
const ofThisCheck = /^(?:scripts\/check\/words\/(?:phrases|exceptions)|test\/contract\/words\.test)\.ts$/;

/** A part of a file that is text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Whether backticks quote code here, as in comments and Markdown. */
  readonly quotes: boolean;
}

/** The files with our texts, from the project's folder. Published versions never change, so they are left out. */
export function textFiles(root: string): string[] {
  return globSync('{*,{.*,*}/**/*}.{ts,tsx,mjs,js,md,yaml,yml}', {
    cwd: root,
    exclude: (path) => elsewhere.some((form) => form.test(path.replaceAll('\\', '/'))),
  })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !ofThisCheck.test(path))
    .sort();
}

/**
 * The spans of a file that are text: comments, strings and JSX text of code, all of YAML and Markdown.
 */
export function textSpans(file: string, source: string): Span[] {
  if (!/\.(?:tsx?|m?js)$/.test(file)) return [{ start: 0, end: source.length, quotes: true }];
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const spans: Span[] = [];
  const comments = (at: number): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source, at) ?? [])
      spans.push({ start: pos, end, quotes: true });
    for (const { pos, end } of ts.getTrailingCommentRanges(source, at) ?? [])
      spans.push({ start: pos, end, quotes: true });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node)) {
      spans.push({ start: node.getStart(parsed), end: node.end, quotes: false });
    }
    if (ts.isRegularExpressionLiteral(node) || ts.isJsxText(node)) return;
    for (const child of node.getChildren(parsed)) visit(child);
    if (node.getChildCount(parsed) === 0) comments(node.pos);
  };
  visit(parsed);
  return spans;
}

/** Whether a place in a text is quoted code: between backticks, or in a Markdown fence. */
export function isQuoted(file: string, text: string, at: number): boolean {
  const before = text.slice(0, at);
  if (file.endsWith('.md') && (before.match(/^ *```/gm) ?? []).length % 2 === 1) return true;
  const paragraph = before.slice(before.lastIndexOf('\n\n') + 1);
  return (paragraph.match(/`/g) ?? []).length % 2 === 1;
}
