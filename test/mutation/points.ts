/**
 * Finds the places where a source file can be mutated with TypeScript's parser, and makes the small faults that people
 * make there. It skips text for people (messages, templates), types and imports. It also skips guards against our own
 * faults (`if (…) throw new Error(…)` or `SandboxBug`), which no request reaches.
 */
import ts from 'typescript';
import { isUnordered } from './order.ts';

/** One planted fault. */
export interface Mutation {
  /** A name that stays the same in other versions of the file: `function: before → after`. */
  readonly name: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Whether it removes a statement; otherwise it replaces an expression. */
  readonly isStatement: boolean;
}

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
};

const methods = new Map(
  Object.entries({
    min: 'max',
    max: 'min',
    some: 'every',
    every: 'some',
    find: 'findLast',
    findLast: 'find',
    startsWith: 'endsWith',
  }),
);

/** Calls whose removal leaves the value that they are called on. */
const dropped = new Set(['filter', 'reverse', 'sort', 'toLowerCase', 'toUpperCase', 'trim']);

/** Every mutation of a source text, in its order. `file` only tells the language. */
export function findMutations(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Omit<Mutation, 'name'>[] = [];
  const names: string[] = [];

  const add: Add = (node, replacement, shown = node) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const after = text.slice(shown.getStart(source), start) + replacement + text.slice(end, shown.getEnd());
    const { line } = source.getLineAndCharacterOfPosition(start);
    found.push({ line: line + 1, start, end, replacement, isStatement: ts.isExpressionStatement(node) });
    names.push(`${placeOf(node)}: ${short(shown.getText(source))} → ${short(after)}`);
  };
  const visit = (node: ts.Node): void => {
    if (isLeftAlone(node)) return;
    mutate(node, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.map((mutation, index) => ({ ...mutation, name: numbered(names, index) }));
}

/** The text with the fault. */
export function plant(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

type Add = (node: ts.Node, replacement: string, shown?: ts.Node) => void;

function mutate(node: ts.Node, add: Add): void {
  if (ts.isBinaryExpression(node)) mutateBinary(node, add);
  else if (ts.isConditionalExpression(node)) {
    add(node, `${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()}`);
  } else if (ts.isIfStatement(node)) {
    add(node.expression, 'false');
    add(node.expression, 'true');
  } else if (ts.isExpressionStatement(node)) add(node, ';');
  else if (ts.isPrefixUnaryExpression(node)) mutatePrefix(node, add);
  else if (ts.isNumericLiteral(node)) add(node, `(${node.text} + 1)`, shownWith(node));
  else if (ts.isBigIntLiteral(node)) add(node, `(${node.text} + 1n)`, shownWith(node));
  else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false', shownWith(node));
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true', shownWith(node));
  else if (ts.isStringLiteral(node) && /^[A-Z][A-Z_]+$/.test(node.text)) add(node, "'MUTATED'", shownWith(node));
  else if (ts.isArrayLiteralExpression(node)) mutateArray(node, add);
  else if (ts.isCallExpression(node)) mutateCall(node, add);
}

function mutateBinary(node: ts.BinaryExpression, add: Add): void {
  const operator = node.operatorToken.getText();
  // As a condition it is already negated there.
  const isCondition =
    /^[=!]==$/.test(operator) && (ts.isIfStatement(node.parent) || ts.isConditionalExpression(node.parent));
  for (const other of isCondition ? [] : (operators[operator] ?? []))
    add(node, exchange(node, node.operatorToken, other));
  if (operator !== '??') return;
  add(node, node.left.getText());
  add(node, `(${node.right.getText()})`);
}

function mutatePrefix(node: ts.PrefixUnaryExpression, add: Add): void {
  const isNegation = node.operator === ts.SyntaxKind.ExclamationToken || node.operator === ts.SyntaxKind.MinusToken;
  if (isNegation) add(node, node.operand.getText(), shownWith(node));
}

/** The text of `whole` with `part` replaced. */
function exchange(whole: ts.Node, part: ts.Node, other: string): string {
  const text = whole.getText();
  const at = part.getStart() - whole.getStart();
  return text.slice(0, at) + other + text.slice(at + part.getWidth());
}

/** Swaps the first two elements, if their order can matter. */
function mutateArray(node: ts.ArrayLiteralExpression, add: Add): void {
  if (isUnordered(node)) return;
  const [first, second, ...rest] = node.elements.map((element) => element.getText());
  if (first !== undefined && second !== undefined && first !== second)
    add(node, `[${[second, first, ...rest].join(', ')}]`);
}

function mutateCall(node: ts.CallExpression, add: Add): void {
  if (!ts.isPropertyAccessExpression(node.expression)) return;
  const { expression, name } = node.expression;
  const other = methods.get(name.text);
  // A table of records has another `find`, which takes no function.
  const isOfArray = !name.text.startsWith('find') || ts.isArrowFunction(node.arguments[0] ?? node);
  if (other !== undefined && isOfArray) add(node, exchange(node, name, other));
  if (dropped.has(name.text)) add(node, expression.getText());
}

function isLeftAlone(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return true;
  if (ts.isTypeAliasDeclaration(node) || ts.isTemplateExpression(node)) return true;
  if (isName(node) || isLinkOfChain(node)) return true;
  if (!ts.isIfStatement(node)) return ts.isThrowStatement(node) && isOwnFault(node);
  const then = ts.isBlock(node.thenStatement) ? node.thenStatement.statements[0] : node.thenStatement;
  return then !== undefined && isOwnFault(then);
}

/** A property's key or the target of an assignment, which isn't an expression. */
function isName(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  if (ts.isPropertyAssignment(parent)) return parent.name === node;
  return ts.isBinaryExpression(parent) && parent.left === node && ts.isArrayLiteralExpression(node);
}

/** A call inside `a?.b.c().d()`. In brackets, the optional chain would end there. */
function isLinkOfChain(node: ts.Node): boolean {
  return ts.isCallExpression(node) && ts.isOptionalChain(node) && ts.isOptionalChain(node.parent);
}

/** `throw new Error(…)` or `SandboxBug`: in the sandbox this reports a mistake of ours, never of a client. */
function isOwnFault(statement: ts.Statement): boolean {
  if (!ts.isThrowStatement(statement) || !ts.isNewExpression(statement.expression)) return false;
  return /^(Error|SandboxBug)$/.test(statement.expression.expression.getText());
}

/** A literal is shown with its parent, so that its name tells which one it is. */
function shownWith(node: ts.Node): ts.Node {
  const { parent } = node;
  const isSmall = parent.getWidth() <= 100;
  return isSmall && !ts.isSourceFile(parent) && !ts.isBlock(parent) ? parent : node;
}

/** The function around a node, or the file's constant. */
function placeOf(node: ts.Node): string {
  for (let outer: ts.Node | undefined = node.parent; outer !== undefined; outer = outer.parent) {
    if ((ts.isFunctionDeclaration(outer) || ts.isMethodDeclaration(outer)) && outer.name !== undefined) {
      return outer.name.getText();
    }
    if (!ts.isVariableDeclaration(outer)) continue;
    const isFunction = outer.initializer !== undefined && ts.isArrowFunction(outer.initializer);
    if (isFunction || ts.isSourceFile(outer.parent.parent.parent)) return outer.name.getText();
  }
  return 'file';
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= 110 ? line : `${line.slice(0, 80)} … ${line.slice(-27)}`;
}

/** If names are equal, the second one gets ` #2`, and so on. */
function numbered(names: readonly string[], index: number): string {
  const name = names[index] as string;
  const before = names.slice(0, index).filter((other) => other === name).length;
  return before === 0 ? name : `${name} #${before + 1}`;
}
