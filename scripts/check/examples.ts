/**
 * Validates every example and default of a bundled contract against the schema beside it. The linters have rules for
 * this too, but they go silent in places (an `examples` on a component schema switches one of them off), so the promise
 * "no example is false" rests on this.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parseTimestamp } from '../../mocks/sandbox/kernel/clock.ts';
import { isP256Point } from '../../mocks/sandbox/kernel/seal.ts';
import type { Contract, Example, Examples, MaybeRef } from '../lib/contract.ts';
import { pointerSegment, resolveRef } from '../lib/contract.ts';

/** A value that its schema refuses. */
export interface FalseExample {
  /** JSON Pointer to the value in the bundle. */
  readonly pointer: string;
  readonly message: string;
}

/** A value to check: where it stands, and where its schema stands. */
interface Check {
  readonly pointer: string;
  readonly schemaPointer: string;
  readonly value: unknown;
}

type Json = Readonly<Record<string, unknown>>;

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
 * @param contract the bundle: references inside the document only
 * @returns one entry per false value, in document order; empty when all are right
 * @throws Error when a schema does not compile, or uses a format that no one checks.
 */
export function findFalseExamples(contract: Contract): { checked: number; falseExamples: FalseExample[] } {
  const validate = compileValidator(contract);
  const checks = collectChecks(contract);
  const falseExamples = checks.flatMap(({ pointer, schemaPointer, value }) => {
    const message = validate(schemaPointer, value);
    return message === undefined ? [] : [{ pointer, message }];
  });
  return { checked: checks.length, falseExamples };
}

function compileValidator(contract: Contract): (schemaPointer: string, value: unknown) => string | undefined {
  const ajv = new Ajv2020({
    allErrors: true,
    discriminator: true,
    strict: false,
    logger: {
      log: () => {},
      // Ajv only warns of a format it does not know, and then checks nothing.
      warn: (...message: unknown[]) => {
        throw new Error(message.join(' '));
      },
      error: () => {},
    },
  });
  addFormats.default(ajv);
  // The stock format also takes a space for the T and offsets without a colon (D37).
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== null);
  ajv.addFormat('p256-point', isP256Point);
  ajv.addSchema(withoutDiscriminatorMapping(contract) as Json, 'contract:');
  return (schemaPointer, value) => {
    const check = ajv.getSchema(`contract:#${encodeURI(schemaPointer)}`);
    if (check === undefined) throw new Error(`No schema at ${schemaPointer}`);
    if (check(value)) return undefined;
    return (check.errors ?? []).map((e) => `${e.instancePath || 'the value'} ${e.message ?? e.keyword}`).join('; ');
  };
}

function collectChecks(contract: Contract): Check[] {
  const checks: Check[] = [];

  const visit = (node: unknown, pointer: string): void => {
    if (Array.isArray(node)) {
      for (const [index, item] of node.entries()) visit(item, `${pointer}/${index}`);
    } else if (isObject(node) && node.$ref === undefined) {
      if (isObject(node.schema) || typeof node.schema === 'boolean') visitExamples(node as Examples, pointer);
      for (const [key, value] of Object.entries(node)) {
        const at = `${pointer}/${pointerSegment(key)}`;
        // An example's content may look like anything, a schema included.
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
    // Examples are checked where they are used: alone they have no schema.
    if (section === 'examples') continue;
    for (const [name, entry] of Object.entries(entries ?? {})) {
      const at = `/components/${section}/${pointerSegment(name)}`;
      if (section === 'schemas') visitSchema(entry, at);
      else visit(entry, at);
    }
  }
  return checks;
}

// Ajv throws on `mapping`; without it, it chooses the member by the discriminator's const.
function withoutDiscriminatorMapping(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDiscriminatorMapping);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'discriminator' && isObject(value) && typeof value.propertyName === 'string') {
        return [key, { propertyName: value.propertyName }];
      }
      return [key, withoutDiscriminatorMapping(value)];
    }),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
