/** Finds lists whose order has no effect. Another order of them isn't a fault. */
import ts from 'typescript';

/**
 * Whether a list is only a set: a constant of its file that is only asked what it includes, or the columns by which a
 * table counts its records.
 */
export function isUnordered(list: ts.ArrayLiteralExpression): boolean {
  const holder = holderOf(list);
  if (ts.isPropertyAssignment(holder)) return holder.name.getText() === 'counted';
  if (!ts.isVariableDeclaration(holder) || !ts.isIdentifier(holder.name)) return false;
  if (ts.getCombinedModifierFlags(holder) & ts.ModifierFlags.Export) return false;
  const uses = usesOf(holder.name.text, holder.getSourceFile()).filter((use) => use.parent !== holder);
  return uses.length > 0 && uses.every(isQuestion);
}

/** What has the list as its value, outside of type assertions and of other lists. */
function holderOf(list: ts.Node): ts.Node {
  const { parent } = list;
  const isInside = ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent) || ts.isArrayLiteralExpression(parent);
  return isInside ? holderOf(parent) : parent;
}

function usesOf(name: string, within: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(within);
  return found;
}

/** Whether a use of a list is `list.includes`. */
function isQuestion({ parent }: ts.Node): boolean {
  return ts.isPropertyAccessExpression(parent) && parent.name.text === 'includes';
}
