/**
 * House rule R26, first half: every example and default of a bundled contract is valid for its schema. The linters have
 * rules for this too, but in some places they check nothing: for example, an `examples` on a component schema switches
 * one of them off. So only this check guarantees that no example is false.
 *
 * In one point it is stricter than the contract. Replies may get new fields later (D06), but a field of an example that
 * the schema doesn't describe is a misspelling.
 */

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { addContractFormats } from '../../contract/formats.ts';
import { pointerSegment } from '../../contract/pointer.ts';
import {
  type ContractDocument,
  type Example,
  type Examples,
  type Header,
  httpMethods,
  type MaybeRef,
  type Operation,
  resolveRef,
} from '../lib/contract.ts';

/** A value that its schema refuses. */
export interface FalseExample {
  /** JSON Pointer to the value in the bundle. */
  readonly pointer: string;
  readonly message: string;
}

/** A value to check: its place, and the place of its schema. */
interface Check {
  readonly pointer: string;
  readonly schemaPointer: string;
  readonly value: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Keywords whose schemas describe a whole value, not one aspect of it. */
const wholes = ['properties', 'patternProperties', 'prefixItems', 'items', 'additionalProperties'];

const schemaMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaKeywords = [
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/**
 * Finds the examples (of media types, parameters, headers and schemas) and defaults that break their schema.
 *
 * @param contract the bundle, with references inside the document only
 * @param options isClosed: whether an example may have only the fields that its schema describes, and needs every
 * required header of a reply. House rule R26 wants that; the contract itself leaves replies open to new fields
 * @returns one entry per false value, in document order
 * @throws Error if a schema doesn't compile, or uses an unknown format.
 */
export function findFalseExamples(
  contract: ContractDocument,
  { isClosed = true } = {},
): { checked: number; falseExamples: FalseExample[] } {
  const validate = compileValidator(contract, isClosed);
  const checks = collectChecks(contract);
  const falseExamples = checks.flatMap(({ pointer, schemaPointer, value }) => {
    const message = validate(schemaPointer, value);
    return message === undefined ? [] : [{ pointer, message }];
  });
  const bare = isClosed ? findBareHeaders(contract) : [];
  return { checked: checks.length, falseExamples: [...falseExamples, ...bare] };
}

/** Required reply headers without an example. A mock that serves the reply could not send them. */
function findBareHeaders(contract: ContractDocument): FalseExample[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) =>
      Object.entries((item[method] as Operation | undefined)?.responses ?? {}).flatMap(([status, reference]) => {
        const { headers } = resolveRef(contract, reference);
        return Object.entries(headers ?? {}).flatMap(([name, header]): FalseExample[] => {
          const { required, example, examples = {} } = resolveRef<Header & { required?: boolean }>(contract, header);
          if (required !== true || example !== undefined || Object.keys(examples).length > 0) return [];
          const at = `/paths/${pointerSegment(path)}/${method}/responses/${status}/headers/${pointerSegment(name)}`;
          return [{ pointer: at, message: 'is required and has no example' }];
        });
      }),
    ),
  );
}

function compileValidator(
  contract: ContractDocument,
  isClosed: boolean,
): (schemaPointer: string, value: unknown) => string | undefined {
  const ajv = new Ajv2020({
    allErrors: true,
    discriminator: true,
    strict: false,
    logger: {
      log: () => {},
      // Ajv only warns about a format that it doesn't know, and then doesn't check it.
      warn: (...message: unknown[]) => {
        throw new Error(message.join(' '));
      },
      error: () => {},
    },
  });
  addContractFormats(ajv);
  ajv.addSchema(readyForAjv(contract, isClosed) as Json, 'contract:');
  return (schemaPointer, value) => {
    const check = ajv.getSchema(`contract:#${encodeURI(schemaPointer)}`);
    if (check === undefined) throw new Error(`No schema at ${schemaPointer}`);
    if (check(value)) return undefined;
    return (check.errors ?? []).map(describeError).join('; ');
  };
}

function collectChecks(contract: ContractDocument): Check[] {
  const checks: Check[] = [];

  const visit = (node: unknown, pointer: string): void => {
    if (Array.isArray(node)) {
      for (const [index, item] of node.entries()) visit(item, `${pointer}/${index}`);
    } else if (isObject(node) && node.$ref === undefined) {
      if (isObject(node.schema) || typeof node.schema === 'boolean') visitExamples(node as Examples, pointer);
      for (const [key, value] of Object.entries(node)) {
        const at = `${pointer}/${pointerSegment(key)}`;
        // An example's content may look like anything, even like a schema.
        if (key === 'schema') visitSchema(value, at);
        else if (key !== 'example' && key !== 'examples') visit(value, at);
      }
    }
  };

  const visitExamples = (holder: Examples, pointer: string): void => {
    const schemaPointer = `${pointer}/schema`;
    if (holder.example !== undefined)
      checks.push({ pointer: `${pointer}/example`, schemaPointer, value: holder.example });
    for (const [name, reference] of Object.entries(holder.examples ?? {})) {
      const example: Example = resolveRef(contract, reference as MaybeRef<Example>);
      const at = `${pointer}/examples/${pointerSegment(name)}`;
      if (!('value' in example)) throw new Error(`${at} has no value to check`);
      checks.push({ pointer: at, schemaPointer, value: example.value });
    }
  };

  const visitSchema = (schema: unknown, pointer: string): void => {
    if (!isObject(schema)) return;
    const { example, examples, default: fallback } = schema;
    if (example !== undefined) checks.push({ pointer: `${pointer}/example`, schemaPointer: pointer, value: example });
    if (fallback !== undefined) checks.push({ pointer: `${pointer}/default`, schemaPointer: pointer, value: fallback });
    if (Array.isArray(examples)) {
      for (const [index, value] of examples.entries()) {
        checks.push({ pointer: `${pointer}/examples/${index}`, schemaPointer: pointer, value });
      }
    }
    for (const [key, value] of Object.entries(schema)) {
      const at = `${pointer}/${pointerSegment(key)}`;
      if (schemaKeywords.includes(key)) visitSchema(value, at);
      else if (schemaLists.includes(key) && Array.isArray(value)) {
        for (const [index, member] of value.entries()) visitSchema(member, `${at}/${index}`);
      } else if (schemaMaps.includes(key) && isObject(value)) {
        for (const [name, s] of Object.entries(value)) visitSchema(s, `${at}/${pointerSegment(name)}`);
      }
    }
  };

  visit(contract.paths, '/paths');
  for (const [section, entries] of Object.entries(contract.components ?? {})) {
    // Examples are checked where they are used, because they have no schema here.
    if (section === 'examples') continue;
    for (const [name, entry] of Object.entries(entries ?? {})) {
      const at = `/components/${section}/${pointerSegment(name)}`;
      if (section === 'schemas') visitSchema(entry, at);
      else visit(entry, at);
    }
  }
  return checks;
}

function describeError({ instancePath, keyword, message, params }: ErrorObject): string {
  const at = instancePath || 'the value';
  if (keyword !== 'unevaluatedProperties') return `${at} ${message ?? keyword}`;
  return `${at} has a field that its schema does not describe: ${params['unevaluatedProperty']}`;
}

/** The document, with {@link tighten} applied to every schema. */
function readyForAjv(contract: ContractDocument, isClosed: boolean): unknown {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isObject(node)) return node;
    return mapValues(node, (value, key) => {
      if (key === 'schema') return tighten(value, isClosed, isClosed);
      return key === 'example' || key === 'examples' ? value : visit(value);
    });
  };
  const { schemas = {}, ...others } = contract.components ?? {};
  return {
    ...(visit({ ...contract, components: others }) as Json),
    components: {
      ...(visit(others) as Json),
      schemas: mapValues(schemas, (schema) => tighten(schema, false, isClosed)),
    },
  };
}

/**
 * Closes a schema if the contract must be closed: wherever it describes a whole value, it refuses undescribed fields.
 * Also removes `mapping`, on which Ajv throws. The discriminator's const selects the member of a union anyway.
 */
function tighten(schema: unknown, isWhole: boolean, isClosed: boolean): unknown {
  if (!isObject(schema)) return schema;
  const tightened = mapValues(schema, (value, key) => {
    const inner = isClosed && wholes.includes(key);
    if (key === 'discriminator' && isObject(value)) return { propertyName: value.propertyName };
    // A condition or its opposite doesn't forbid the fields that it leaves out.
    if (key === 'not' || key === 'if') return value;
    if (schemaKeywords.includes(key)) return tighten(value, inner, isClosed);
    if (schemaLists.includes(key) && Array.isArray(value))
      return value.map((member) => tighten(member, inner, isClosed));
    if (schemaMaps.includes(key) && isObject(value))
      return mapValues(value, (member) => tighten(member, inner, isClosed));
    return value;
  });
  return isWhole ? { unevaluatedProperties: false, ...tightened } : tightened;
}

function mapValues(object: Json, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
