/**
 * Finds code that catches a refusal (Problem) inside a unit of work and goes on. What was written before the refusal
 * would stay. Only `unit.attempt` undoes those writes, so nothing else may catch it there.
 */
import ts from 'typescript';

const message = 'continues after a refusal and keeps what was written before: use unit.attempt, or throw again';

/**
 * Returns a test for places that run inside a unit of work. In a domain, a world, or a module that has the type of a
 * unit, that is everything. Elsewhere it is every function with a parameter `unit`. The store and its engines are
 * excluded, because they make the units and catch what ends them.
 */
export function worksInUnit(file: string, source: ts.SourceFile): (node: ts.Node) => boolean {
  if (!file.startsWith('mocks/sandbox/') || /^mocks\/sandbox\/(?:store|node)\//.test(file)) return () => false;
  if (/^mocks\/sandbox\/(?:domains|worlds)\//.test(file) || source.statements.some(importsUnit)) return () => true;
  return (node) => ts.findAncestor(node, takesUnit) !== undefined;
}

/**
 * Reports code that catches a failure of awaited work and can go on: a `catch` block, a promise's handler,
 * `Promise.allSettled` and `Promise.any`. A handler that always throws again is allowed. So is a `try` around work that
 * isn't awaited: writes are always awaited, so such a block has written nothing.
 */
export function inspectSwallowing(node: ts.Node, report: (node: ts.Node, message: string) => void): void {
  if (ts.isTryStatement(node)) {
    const { tryBlock, catchClause, finallyBlock } = node;
    if (!contains(tryBlock, isAwait)) return;
    if (catchClause !== undefined && !alwaysThrows(catchClause.block)) report(catchClause, `catch ${message}`);
    if (finallyBlock !== undefined && contains(finallyBlock, leaves)) report(finallyBlock, `finally ${message}`);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
  const { name, expression } = node.expression;
  if (name.text === 'catch' && !handlerThrows(node.arguments[0])) report(name, `.catch ${message}`);
  if (name.text === 'then' && node.arguments[1] !== undefined && !handlerThrows(node.arguments[1])) {
    report(name, `.then with a second handler ${message}`);
  }
  const isPromise = ts.isIdentifier(expression) && expression.text === 'Promise';
  if (isPromise && ['allSettled', 'any'].includes(name.text)) report(name, `Promise.${name.text} ${message}`);
}

function importsUnit(statement: ts.Statement): boolean {
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return false;
  const named = statement.importClause?.namedBindings;
  if (named === undefined || !ts.isNamedImports(named)) return false;
  const isFromStore = /\/store\/unit\.ts$/.test(statement.moduleSpecifier.text);
  return isFromStore && named.elements.some(({ name, propertyName }) => (propertyName ?? name).text === 'Unit');
}

function takesUnit(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && node.parameters.some(({ name }) => ts.isIdentifier(name) && name.text === 'unit');
}

/**
 * Whether an inline handler always throws. For a handler that is only named, the answer is no, because it isn't read.
 */
function handlerThrows(handler: ts.Expression | undefined): boolean {
  if (handler === undefined || !(ts.isArrowFunction(handler) || ts.isFunctionExpression(handler))) return false;
  return ts.isBlock(handler.body) && alwaysThrows(handler.body);
}

function alwaysThrows(block: ts.Block): boolean {
  return endsInThrow(block) && !contains(block, leaves);
}

function endsInThrow(statement: ts.Statement | undefined): boolean {
  if (statement === undefined) return false;
  if (ts.isBlock(statement)) return endsInThrow(statement.statements.at(-1));
  if (ts.isIfStatement(statement)) return endsInThrow(statement.thenStatement) && endsInThrow(statement.elseStatement);
  return ts.isThrowStatement(statement);
}

/** Whether a node leaves the block before its end, without an error. */
function leaves(node: ts.Node): boolean {
  return ts.isReturnStatement(node) || ts.isBreakOrContinueStatement(node);
}

function isAwait(node: ts.Node): boolean {
  return ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined);
}

/** Whether a node below this one matches. Functions are skipped, because they run at another time. */
function contains(node: ts.Node, isSuch: (node: ts.Node) => boolean): boolean {
  return (
    ts.forEachChild(node, (child) => isSuch(child) || (!ts.isFunctionLike(child) && contains(child, isSuch))) ?? false
  );
}
