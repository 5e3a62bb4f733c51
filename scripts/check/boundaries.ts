/**
 * Checks what the import rules can't see. Code of the sandbox must not use the clock, randomness, the environment or a
 * timer directly, or keep state in a module. It receives all of these as parameters, so that a run can be repeated and
 * a test needs no waiting. Code that the package ships must take its timers from one module, which a test's fake timers
 * don't replace. Inside a unit of work only `unit.attempt` may catch a refusal (swallowed.ts).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { inspectSwallowing, worksInUnit } from './swallowed.ts';

/** A place where a module breaks one of these rules. */
export interface Trespass {
  /** Path from the project's root, with forward slashes. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly rule: 'time' | 'chance' | 'environment' | 'timer' | 'node' | 'module-state' | 'swallowed';
  readonly message: string;
}

// The only sandbox modules that may use the machine's clock, randomness, environment and timers.
const exempt = [
  'mocks/sandbox/main.ts',
  'mocks/sandbox/tools/chance.ts',
  'mocks/sandbox/tools/clock.ts',
  'mocks/sandbox/node/machine/timers.ts',
  'mocks/sandbox/node/machine/crypto.ts',
  // Its bytes keep a place on the disk, and nobody reads them.
  'mocks/sandbox/node/sqlite/reserve.ts',
  'mocks/sandbox/browser/machine/timers.ts',
  'mocks/sandbox/browser/machine/crypto.ts',
];

// Folders that users run, also inside their own processes.
const shipped = ['cli', 'mcp', 'mocks', 'conformance', 'contract', 'client', 'package', 'traffic'];
// A page uses the second module instead of the first.
const timersModules = ['mocks/sandbox/node/machine/timers.ts', 'mocks/sandbox/browser/machine/timers.ts'];
const timers = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
];

const ofNode = 'mocks/sandbox/node/';

// The database engines, and what they share. They need a timer: units that wait share a commit, which happens one turn later.
// Long work lets the loop turn between its pieces, with nextTurn() of the clock.
const engines = [
  'mocks/sandbox/store/units/gather.ts',
  'mocks/sandbox/sqlite/',
  'mocks/sandbox/tools/clock.ts',
  ofNode,
];

// Closing a port waits for real connections, a group waits for a server, a request for the end of long work, and a stream
// for its reader. Our simulated clock can't speed these up.
const timersAllowed = [
  'mocks/sandbox/node/listening/bind.ts',
  'mocks/sandbox/node/listening/server.ts',
  'mocks/sandbox/node/postgres/pulse.ts',
  'mocks/sandbox/node/postgres/store.ts',
  'mocks/sandbox/sqlite/holds.ts',
  'mocks/sandbox/steps/settleDue.ts',
  'mocks/sandbox/tools/pour.ts',
];

/** Checks every module that the package ships, in path order. */
export function findTrespasses(root: string): Trespass[] {
  return shipped
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .flatMap((file) => trespassesIn(file, readFileSync(join(root, file), 'utf8')));
}

/** Checks the text of one module. `file` is its path from the root: the rules depend on it. */
export function trespassesIn(file: string, text: string): Trespass[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Trespass[] = [];
  const report = (node: ts.Node, rule: Trespass['rule'], message: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push({ file, line: line + 1, rule, message });
  };
  const visit = (node: ts.Node, look: (node: ts.Node) => void): void => {
    look(node);
    ts.forEachChild(node, (child) => visit(child, look));
  };
  if (!timersModules.includes(file)) {
    const ours = importedTimers(source);
    visit(source, (node) => inspectTimers(node, file, ours, report));
  }
  if (isInSandbox(file) && !exempt.includes(file)) visit(source, (node) => inspect(node, report));
  if (isForPages(file)) visit(source, (node) => inspectGlobals(node, report));
  if (!isInSandbox(file)) return found;
  for (const statement of source.statements) inspectModuleState(statement, report);
  const isInUnit = worksInUnit(file, source);
  visit(source, (node) => {
    if (isInUnit(node)) inspectSwallowing(node, (at, message) => report(at, 'swallowed', message));
  });
  return found;
}

type Report = (node: ts.Node, rule: Trespass['rule'], message: string) => void;

function inspect(node: ts.Node, report: Report): void {
  if (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && (node.arguments ?? []).length === 0) {
    report(node, 'time', "new Date() reads the machine's clock: take the time from the clock that is handed in");
  }
  if (ts.isCallExpression(node) && isNamed(node.expression, 'Date')) {
    report(node, 'time', "Date() reads the machine's clock: take the time from the clock that is handed in");
  }
  const member = memberAccess(node);
  if (member === 'Date.now' || member === 'performance.now') {
    report(node, 'time', `${member} reads the machine's clock: take the time from the clock that is handed in`);
  }
  if (member === 'Math.random') report(node, 'chance', 'Math.random: take chance from the source that is handed in');
  if (member === 'process.env' || member === 'process.argv') {
    report(node, 'environment', `${member}: only main.ts reads the environment; take a setting as an argument`);
  }
  if (!ts.isIdentifier(node) || isOwnName(node)) return;
  if (['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'].includes(node.text)) {
    report(node, 'chance', `${node.text}: take chance from the source that is handed in`);
  }
  if (node.text === 'env' && ts.isImportSpecifier(node.parent)) {
    report(node, 'environment', 'env: only main.ts reads the environment; take a setting as an argument');
  }
}

/** Reports globals that a browser doesn't have. */
function inspectGlobals(node: ts.Node, report: Report): void {
  if (!ts.isIdentifier(node) || isOwnName(node) || !['Buffer', 'process'].includes(node.text)) return;
  if (
    ts.isPropertyAccessExpression(node.parent) &&
    node.parent.name === node &&
    !isNamed(node.parent.expression, 'globalThis')
  )
    return;
  report(
    node,
    'node',
    `${node.text}: a browser doesn't have it; take it from mocks/sandbox/node/machine, or have it handed in`,
  );
}

/** The names that a source file imports from the timers modules. */
function importedTimers(source: ts.SourceFile): ReadonlySet<string> {
  const imports = source.statements.filter(ts.isImportDeclaration);
  const ours = imports.filter(({ moduleSpecifier }) =>
    /machine\/timers\.ts$|^\.\/timers\.ts$/.test(textOf(moduleSpecifier)),
  );
  return new Set(
    ours.flatMap(({ importClause }) => {
      const named = importClause?.namedBindings;
      return named !== undefined && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : [];
    }),
  );
}

function inspectTimers(node: ts.Node, file: string, ours: ReadonlySet<string>, report: Report): void {
  const message = 'the fake timers of a test would stop it: import it from mocks/sandbox/node/machine/timers.ts';
  if (ts.isStringLiteralLike(node) && /^(?:node:)?timers(?:\/promises)?$/.test(node.text)) {
    report(node, 'timer', `${node.text}: ${message}`);
  }
  if (!ts.isIdentifier(node) || isOwnName(node) || !timers.includes(node.text)) return;
  if (ts.isImportSpecifier(node.parent)) return;
  const isMember = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
  if (isMember || !ours.has(node.text)) report(node, 'timer', `${node.text}: ${message}`);
  else if (node.text === 'setImmediate' && isInSandbox(file) && !engines.some((folder) => file.startsWith(folder))) {
    report(node, 'timer', 'setImmediate: only the store waits for a turn, to group commits');
  } else if (['setTimeout', 'setInterval'].includes(node.text) && isInSandbox(file) && !timersAllowed.includes(file)) {
    report(node, 'timer', `${node.text}: a delayed effect is a row with a due time, not a timer`);
  }
}

function isOfNode(file: string): boolean {
  return file.startsWith(ofNode) || file === 'mocks/sandbox/main.ts';
}

/** Whether the module also runs in a page. A page has another module instead of `traffic/unpack.ts`. */
function isForPages(file: string): boolean {
  return (isInSandbox(file) && !isOfNode(file)) || (file.startsWith('traffic/') && file !== 'traffic/unpack.ts');
}

function isInSandbox(file: string): boolean {
  return file.startsWith('mocks/sandbox/');
}

function textOf(node: ts.Expression): string {
  return ts.isStringLiteralLike(node) ? node.text : '';
}

function inspectModuleState(statement: ts.Statement, report: Report): void {
  if (!ts.isVariableStatement(statement)) return;
  const { declarationList } = statement;
  for (const declaration of declarationList.declarations) {
    const name = declaration.name.getText();
    if ((declarationList.flags & ts.NodeFlags.Const) === 0) {
      report(declaration, 'module-state', `${name} can change and belongs to the module: keep state in the store`);
    } else if (declaration.initializer !== undefined && isEmptyCollection(declaration.initializer)) {
      report(declaration, 'module-state', `${name} starts empty, so it collects state: keep state in the store`);
    }
  }
}

// A WeakMap holds data that is derived from an object that other code keeps, so it isn't separate state.
function isEmptyCollection(node: ts.Expression): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0;
  if (ts.isObjectLiteralExpression(node)) return node.properties.length === 0;
  if (!ts.isNewExpression(node)) return false;
  return ['Map', 'Set'].some((name) => isNamed(node.expression, name)) && (node.arguments ?? []).length === 0;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** `Date.now` for an access to that member, also through globalThis or brackets; undefined for any other node. */
function memberAccess(node: ts.Node): string | undefined {
  let member: string | undefined;
  if (ts.isPropertyAccessExpression(node)) member = node.name.text;
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    member = node.argumentExpression.text;
  }
  if (member === undefined) return undefined;
  const { expression } = node as ts.PropertyAccessExpression | ts.ElementAccessExpression;
  const owner = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(owner) ? `${owner.text}.${member}` : undefined;
}

// Whether this is a name that the module itself declares, such as in the definition of `chance.getRandomValues(…)`.
function isOwnName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodSignature(parent)) &&
    parent.name === node
  );
}
