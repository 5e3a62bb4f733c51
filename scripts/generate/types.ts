/** The types of the contract: openapi-typescript's, and what of them a caller of the service may leave undefined. */
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { withUnixLineEnds } from '../lib/project.ts';

/** Writes the text of `generated/types.ts` for a bundled contract (JSON text), without the header comment. */
export async function writeTypes(bundle: string): Promise<string> {
  const nodes = await openapiTS(bundle, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // A field with a default may be left out of a request, so it is optional.
    defaultNonNullable: false,
    silent: true,
  });
  const sent = findSent(JSON.parse(bundle));
  return `${withUnixLineEnds(astToString(nodes.map((node) => allowUndefined(node, sent)))).trimEnd()}\n`;
}

/** Names of the schemas that requests lead to. */
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
 * With `exactOptionalPropertyTypes` an optional field can't be given as undefined unless its type says so. The client leaves
 * such a field out, so the types that are sent say so. What is only received never has one.
 */
function allowUndefined(node: ts.Node, sent: ReadonlySet<string>): ts.Node {
  if (!ts.isInterfaceDeclaration(node)) return node;
  if (node.name.text === 'components') {
    return mapMembers(node, ['schemas', (name) => sent.has(name)], allowInside);
  }
  // Inside of query, header, path and cookie; those themselves aren't fields that are sent.
  if (node.name.text !== 'operations') return node;
  const parameters = mapMembers(node, [() => true, 'parameters', () => true], allowInside);
  return mapMembers(parameters, [() => true, 'requestBody'], allowInside);
}

type Name = string | ((name: string) => boolean);

/** Changes the members of a type that lie at a path of names. */
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

/** Adds undefined to the optional fields inside of a field's type. */
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
    // What openapi-typescript says of the field hangs on the node.
    return ts.setSyntheticLeadingComments(changed, ts.getSyntheticLeadingComments(child));
  };
  return ts.visitEachChild(node, visit, undefined);
}
