/**
 * Promise: no test ignores an answer. If a step were refused unnoticed, the assertions after it would test nothing. So
 * a test inspects each answer, or wraps it in `must` with the expected status (harness.ts).
 */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;

/** The lines of a text on which the answer of `send` or `control` is awaited and ignored. */
function droppedAnswers(text: string): number[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node) && ts.isAwaitExpression(node.expression)) {
      const call = node.expression.expression;
      const isAsked = ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression);
      if (isAsked && ['send', 'control'].includes(call.expression.name.text)) {
        lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

test('an answer that is dropped is found, one that is looked into is not', () => {
  const dropped = "await a.send('POST', '/x');\nawait b.control('POST', '/reset');\n";
  const seen = "must(await a.send('POST', '/x'));\nconst c = await a.send('GET', '/x');\nawait a.advance(1);\n";
  expect(droppedAnswers(dropped + seen)).toEqual([1, 2]);
});

test('no test drops an answer', () => {
  const found = globSync('test/**/*.test.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(root + file, 'utf8');
    // The browser's debugging protocol has another `send`.
    return droppedAnswers(text.replaceAll('devtools.send(', 'devtools.tell(')).map((line) => `${file}:${line}`);
  });
  expect(found).toEqual([]);
});
