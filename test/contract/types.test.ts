/**
 * Promise: the generated types say what the contract says. No named type is `never`, the members of a union are told
 * apart by the values that go over the wire, and a request may leave out what has a default.
 */
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import { writeTypes } from '../../scripts/generate.ts';
import type { Contract, SchemaObject } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';

const contract = bundle as unknown as Contract;
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

function typeOf(name: string): ts.Type {
  const type = named.get(name);
  if (type === undefined) throw new Error(`No type ${name}`);
  return type;
}

function memberTypes(name: string): ts.Type[] {
  const type = typeOf(name);
  return type.isUnion() ? type.types : [type];
}
