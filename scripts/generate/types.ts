/** Writes the contract's types with openapi-typescript, and lets callers set optional fields to undefined. */
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { withUnixLineEnds } from '../lib/project.ts';

/** Writes the text of `generated/types.ts` for a bundled contract (JSON text), without the header comment. */
export async function writeTypes(bundle: string): Promise<string> {
  const nodes = await openapiTS(bundle, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // A request may omit a field with a default, so the field is optional.
    defaultNonNullable: false,
    silent: true,
  });
  const sent = findSent(JSON.parse(bundle));
  return `${withUnixLineEnds(astToString(nodes.map((node) => allowUndefined(node, sent)))).trimEnd()}\n`;
}

/** Names of the schemas that requests use. */
function findSent(contract: { paths: object; components?: { parameters?: object; schemas?: Record<string, object> } }) {
  const sent = new Set<string>();
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const [, kind = '', name = ''] = (key === '$ref' && /^#\/components\/(\w+)\/(.+)$/.exec(inner)) || [];
      if (kind === 'schemas' && !sent.has(name)) {
        sent.add(name);
        follow(contract.components?.schemas?.[name]);
      } else if (kind === 'parameters') {
        follow((contract.components?.parameters as Record<string, object> | undefined)?.[name]);
      } else follow(inner);
    }
  };
  for (const item of Object.values(contract.paths) as Record<string, { parameters?: object; requestBody?: object }>[]) {
    for (const { parameters, requestBody } of [item, ...Object.values(item)]) follow({ parameters, requestBody });
  }
  return sent;
}

/**
 * Allows undefined for optional fields that are sent. With `exactOptionalPropertyTypes` a caller can't set an optional
 * field to undefined unless its type says so. The client leaves such a field out. Fields that are only received never
 * have undefined.
 */
function allowUndefined(node: ts.Node, sent: ReadonlySet<string>): ts.Node {
  if (!ts.isInterfaceDeclaration(node)) return node;
  if (node.name.text === 'components') {
    return mapMembers(node, ['schemas', (name) => sent.has(name)], allowInside);
  }
  // Only fields inside query, header, path and cookie. Those four aren't sent themselves.
  if (node.name.text !== 'operations') return node;
  const parameters = mapMembers(node, [() => true, 'parameters', () => true], allowInside);
  return mapMembers(parameters, [() => true, 'requestBody'], allowInside);
}

type Name = string | ((name: string) => boolean);

/** Changes the members of a type at a path of names. */
function mapMembers<T extends ts.Node>(
  node: T,
  [name, ...rest]: readonly Name[],
  change: (node: ts.Node) => ts.Node,
): T {
  const visit = (child: ts.Node): ts.Node => {
    if (!ts.isPropertySignature(child))
      return ts.isTypeNode(child) ? ts.visitEachChild(child, visit, undefined) : child;
    const own = ts.isIdentifier(child.name) || ts.isStringLiteral(child.name) ? child.name.text : '';
    if (typeof name === 'function' ? !name(own) : name !== own) return child;
    return rest.length === 0 ? change(child) : mapMembers(child, rest, change);
  };
  return ts.visitEachChild(node, visit, undefined);
}

/** Adds undefined to the optional fields inside a field's type. */
function allowInside(node: ts.Node): ts.Node {
  const visit = (child: ts.Node): ts.Node => {
    const inner = ts.visitEachChild(child, visit, undefined);
    if (!ts.isPropertySignature(inner) || inner.questionToken === undefined || inner.type === undefined) return inner;
    const { factory } = ts;
    const type = factory.createUnionTypeNode([
      inner.type,
      factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword),
    ]);
    const changed = factory.createPropertySignature(inner.modifiers, inner.name, inner.questionToken, type);
    // The description from openapi-typescript is attached to the node, so copy it.
    return ts.setSyntheticLeadingComments(changed, ts.getSyntheticLeadingComments(child));
  };
  return ts.visitEachChild(node, visit, undefined);
}
