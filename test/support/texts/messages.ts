/** Reads the messages of the project from its source: what users see if something is refused or fails. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const folders = 'cli,client,conformance,contract,mcp,mocks,package,scripts,traffic';
/** Functions whose last argument becomes an error message. */
const refusals = /^(?:invalid(?:Field|Query|Header)?|refuse|refused|fail|fault|giveUp|unauthorized)$/;

/** All messages by file, each with its error class or function. Values are shown as `{expression}`. */
export function readMessages(root: string): Map<string, string[]> {
  const files = globSync(`{${folders}}/**/*.{ts,tsx,mjs}`, {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  const byFile = new Map<string, string[]>();
  for (const path of files.map((file) => file.replaceAll('\\', '/')).sort()) {
    const messages = messagesIn(path, readFileSync(join(root, path), 'utf8'));
    if (messages.length > 0) byFile.set(path, messages);
  }
  return byFile;
}

/** The messages of one file, in their order. */
export function messagesIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const messages: string[] = [];
  const visit = (node: ts.Node): void => {
    const carrier = carrierOf(node);
    if (carrier === undefined) ts.forEachChild(node, visit);
    else messages.push(...textsIn(carrier.content).map((message) => `${carrier.name}: ${message}`));
  };
  visit(source);
  return [...new Set(messages)];
}

interface Carrier {
  readonly name: string;
  readonly content: readonly ts.Node[];
}

/** A node that carries messages: a new error or problem, a call of the functions above, a property or constant `message`. */
function carrierOf(node: ts.Node): Carrier | undefined {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    const name = node.expression.text;
    const isError = /Error$|^(?:Problem|WrongUse|Cannot|Unreadable|DataFile|Storage|Refused)/.test(name);
    return isError ? { name, content: node.arguments ?? [] } : undefined;
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && refusals.test(node.expression.text)) {
    return { name: node.expression.text, content: node.arguments };
  }
  const isNamed = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
  if (
    isNamed &&
    node.initializer !== undefined &&
    ts.isIdentifier(node.name) &&
    /^(?:message|hint)$/.test(node.name.text)
  ) {
    return { name: node.name.text, content: [node.initializer] };
  }
  return undefined;
}

/** The texts of the nodes with more than one word. Parts that are joined by `+` count as one text. */
function textsIn(nodes: readonly ts.Node[]): string[] {
  return nodes.flatMap((node) => {
    const text = ts.isExpression(node) ? textOf(node) : undefined;
    if (text !== undefined) return /\w\s+\w/.test(text) ? [text.replaceAll(/\s+/g, ' ').trim()] : [];
    const inside: ts.Node[] = [];
    ts.forEachChild(node, (child) => void inside.push(child));
    return textsIn(inside);
  });
}

/** The text of a literal, a template or their sum; undefined for other expressions. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => `{${expression.getText()}}${literal.text}`);
    return `${node.head.text}${spans.join('')}`;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? `{${node.left.getText()}}`}${right ?? `{${node.right.getText()}}`}`;
}
