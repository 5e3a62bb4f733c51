/**
 * Promise: the generated types match the contract. No named type is `never`, no field is `any`, the members of a union
 * are distinguished by the values that are sent, and a request may omit a field with a default.
 */
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import { writeTypes } from '../../scripts/generate/types.ts';
import type { ContractDocument, SchemaObject } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';

const contract = bundle as unknown as ContractDocument;
const schemas = Object.entries(contract.components?.schemas ?? {}).filter(
  (entry): entry is [string, SchemaObject] => typeof entry[1] === 'object',
);

let checker: ts.TypeChecker;
let named: Map<string, ts.Type>;

beforeAll(() => {
  const file = join(projectRoot, 'generated/types.ts');
  const program = ts.createProgram([file], { strict: true, noEmit: true, types: [], lib: ['lib.es2024.d.ts'] });
  checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error('generated/types.ts exports nothing');
  named = new Map(checker.getExportsOfModule(module).map((s) => [s.name, checker.getDeclaredTypeOfSymbol(s)]));
}, 30_000);

describe('named types', () => {
  test('every schema of the contract has one', () => {
    expect([...named.keys()]).toEqual(expect.arrayContaining(schemas.map(([name]) => name)));
  });

  test('case 103: none is never', () => {
    const never = [...named].filter(([, type]) => (type.flags & ts.TypeFlags.Never) !== 0).map(([name]) => name);
    expect(never).toEqual([]);
  });

  test('case 103: no property of a schema is never', () => {
    const bad = schemas.flatMap(([name]) =>
      memberTypes(name).flatMap((member) =>
        checker
          .getPropertiesOfType(member)
          .filter((p) => (checker.getNonNullableType(checker.getTypeOfSymbol(p)).flags & ts.TypeFlags.Never) !== 0)
          .map((property) => `${name}.${property.name}`),
      ),
    );
    expect(bad).toEqual([]);
  });
});

describe('at any depth', () => {
  // Types that can't be more exact: details of an error, and headers that openapi-typescript leaves open.
  const open = /ApiErrorDetails\[\]$|\.details\[\]$|\.headers\[\]$/;
  // The first two repeat types with their own names. With the others openapi-typescript says that there are none.
  const apart = ['paths', 'components', '$defs', 'webhooks'];

  test('case 103: no field of a named type or an operation is any, unknown or never', () => {
    const found = [...named].flatMap(([name, type]) => (apart.includes(name) ? [] : weakFields(name, type, new Set())));
    expect(found.filter(({ path }) => !open.test(path))).toEqual([]);
  });

  test('a planted one would be found', () => {
    const planted = 'export type Thing = { list: { open: any; told: string; never: never }[]; maybe: unknown | null };';
    const file = 'planted.ts';
    const options: ts.CompilerOptions = { strict: true, types: [], lib: ['lib.es2024.d.ts'] };
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile;
    host.getSourceFile = (name, ...rest) =>
      name === file ? ts.createSourceFile(name, planted, ts.ScriptTarget.ES2024) : read.call(host, name, ...rest);
    const program = ts.createProgram([file], options, host);
    const own = program.getTypeChecker();
    const [thing] = own.getExportsOfModule(own.getSymbolAtLocation(program.getSourceFile(file)!)!);
    const found = weakFields('Thing', own.getDeclaredTypeOfSymbol(thing!), new Set(), own);
    expect(found.map(({ path, is }) => `${path} ${is}`)).toEqual([
      'Thing.list[].open any',
      'Thing.list[].never never',
      'Thing.maybe unknown',
    ]);
  });
});

describe('unions', () => {
  const unions = schemas.filter(([, schema]) => schema.discriminator !== undefined);

  test('there are some', () => {
    expect(unions.length).toBeGreaterThan(0);
  });

  test.each(unions)('the literals of %s are those of the wire', (name, schema) => {
    const { propertyName, mapping } = schema.discriminator as { propertyName: string; mapping: object };
    const literals = memberTypes(name).map((member) => {
      const property = checker.getPropertyOfType(member, propertyName);
      const type = property && checker.getTypeOfSymbol(property);
      return type?.isStringLiteral() === true ? type.value : undefined;
    });
    expect(literals.sort()).toEqual(Object.keys(mapping).sort());
  });
});

describe('fields with a default', () => {
  test('may be left out of a request, and only those and optional ones', async () => {
    const request = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, size: { type: 'integer', default: 5 }, note: { type: 'string' } },
    };
    const planted = { openapi: '3.1.0', info: {}, paths: {}, components: { schemas: { ThingRequest: request } } };
    const text = await writeTypes(JSON.stringify(planted));
    expect(text).toMatch(/\bname: string/);
    expect(text).toMatch(/\bsize\?: number/);
    expect(text).toMatch(/\bnote\?: string/);
  });
});

/**
 * The fields of a type, including arrays and index signatures, that are `any`, `unknown` or `never`. An optional field
 * with `never` isn't reported: openapi-typescript uses it for "none", such as no query or no body.
 */
function weakFields(
  path: string,
  type: ts.Type,
  seen: Set<ts.Type>,
  by: ts.TypeChecker = checker,
): { path: string; is: string }[] {
  const weak = { any: ts.TypeFlags.Any, unknown: ts.TypeFlags.Unknown, never: ts.TypeFlags.Never };
  for (const [is, flag] of Object.entries(weak)) if ((type.flags & flag) !== 0) return [{ path, is }];
  if (seen.has(type)) return [];
  seen.add(type);
  if (type.isUnion()) return type.types.flatMap((member) => weakFields(path, member, seen, by));
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return [];
  if (by.isArrayType(type)) {
    return by.getTypeArguments(type as ts.TypeReference).flatMap((item) => weakFields(`${path}[]`, item, seen, by));
  }
  const indexed = by.getIndexInfosOfType(type).flatMap((info) => weakFields(`${path}[]`, info.type, seen, by));
  const fields = by.getPropertiesOfType(type).flatMap((property) => {
    const of = by.getTypeOfSymbol(property);
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const told = isOptional ? by.getNonNullableType(of) : of;
    if (isOptional && (told.flags & ts.TypeFlags.Never) !== 0) return [];
    return weakFields(`${path}.${property.name}`, told, seen, by);
  });
  return [...indexed, ...fields];
}

function typeOf(name: string): ts.Type {
  const type = named.get(name);
  if (type === undefined) throw new Error(`No type ${name}`);
  return type;
}

function memberTypes(name: string): ts.Type[] {
  const type = typeOf(name);
  return type.isUnion() ? type.types : [type];
}
