/**
 * Promise: no example of the contract is false. A wrong one is found in any place and with any fault. That includes
 * places where the linters check nothing (with `examples` on a component schema), and fields that the contract allows
 * but no schema describes. An example error is what the sandbox says.
 */
import { describe, expect, test } from 'vitest';
import { pointerSegment } from '../../contract/pointer.ts';
import { errorStatus, operations } from '../../generated/operations.ts';
import { findFalseExamples } from '../../scripts/check/examples.ts';
import { findMisleadingRefusals } from '../../scripts/check/refusals.ts';
import { readExamples } from '../../scripts/check/story/read.ts';
import { distributeParameterExamples } from '../../scripts/generate/parameterExamples.ts';
import type { ContractDocument, Operation } from '../../scripts/lib/contract.ts';
import { bundle } from '../support/expect/apiError.ts';
import { byLength, sample } from '../support/run/length.ts';

const thing = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', pattern: '^Thing:' },
    at: { type: 'string', format: 'date-time' },
    size: { type: 'integer', default: 5 },
    example: { type: 'string' },
  },
};

/** A contract with replaceable parts, in which each test plants its fault. */
function contractWith(parts: {
  media?: object;
  parameter?: object;
  header?: object;
  schemas?: object;
  examples?: object;
}) {
  const media = { schema: { $ref: '#/components/schemas/Thing' }, ...parts.media };
  const header = { schema: { type: 'integer' }, ...parts.header };
  return {
    openapi: '3.1.0',
    paths: {
      '/things': {
        get: {
          operationId: 'listThings',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 }, ...parts.parameter }],
          responses: { 200: { headers: { 'Retry-After': header }, content: { 'application/json': media } } },
        },
      },
    },
    components: {
      schemas: { Thing: thing, ...parts.schemas },
      examples: { wrong: { value: { id: 5 } }, ...parts.examples },
    },
  } as ContractDocument;
}

const media = '/paths/~1things/get/responses/200/content/application~1json';

const planted: [what: string, contract: ContractDocument, pointer: string][] = [
  ['a media type example', contractWith({ media: { example: { id: 5 } } }), `${media}/example`],
  ['a named media type example', contractWith({ media: { examples: { a: { value: {} } } } }), `${media}/examples/a`],
  [
    'a named example by reference',
    contractWith({ media: { examples: { a: { $ref: '#/components/examples/wrong' } } } }),
    `${media}/examples/a`,
  ],
  ['a parameter example', contractWith({ parameter: { example: 101 } }), '/paths/~1things/get/parameters/0/example'],
  [
    'a header example',
    contractWith({ header: { example: 'soon' } }),
    '/paths/~1things/get/responses/200/headers/Retry-After/example',
  ],
  [
    'examples on a component schema',
    contractWith({ schemas: { Thing: { ...thing, examples: [{ id: 'Thing:1' }, { id: 'Other:1' }] } } }),
    '/components/schemas/Thing/examples/1',
  ],
  [
    'an example on a property',
    contractWith({ schemas: { Other: { properties: { size: { type: 'integer', example: '5' } } } } }),
    '/components/schemas/Other/properties/size/example',
  ],
  [
    'an example inside a union',
    contractWith({ schemas: { Other: { oneOf: [{ items: { type: 'string', examples: [1] } }] } } }),
    '/components/schemas/Other/oneOf/0/items/examples/0',
  ],
  [
    'a default',
    contractWith({ schemas: { Other: { properties: { size: { type: 'integer', default: 'big' } } } } }),
    '/components/schemas/Other/properties/size/default',
  ],
  [
    'a field that the schema does not describe',
    contractWith({ media: { example: { id: 'Thing:1', idd: 1 } } }),
    `${media}/example`,
  ],
  [
    'such a field further down, in a union',
    contractWith({
      schemas: {
        Thing: { properties: { of: { oneOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } } },
        Other: thing,
      },
      media: { example: { of: { id: 'Thing:1', idd: 1 } } },
    }),
    `${media}/example`,
  ],
  [
    'such a field in an entry of a list',
    contractWith({
      schemas: {
        Thing: {
          properties: {
            all: {
              type: 'array',
              items: { allOf: [{ $ref: '#/components/schemas/Other' }, { properties: { more: {} } }] },
            },
          },
        },
        Other: thing,
      },
      media: {
        example: {
          all: [
            { id: 'Thing:1', more: 1 },
            { id: 'Thing:1', mores: 1 },
          ],
        },
      },
    }),
    `${media}/example`,
  ],
  [
    'a required header without an example',
    contractWith({ header: { required: true } }),
    '/paths/~1things/get/responses/200/headers/Retry-After',
  ],
  [
    'a time with a space for the T',
    contractWith({ media: { example: { id: 'Thing:1', at: '2025-10-13 09:00:00Z' } } }),
    `${media}/example`,
  ],
];

describe('planted false examples', () => {
  test.each(planted)('%s is found', (_what, contract, pointer) => {
    expect(findFalseExamples(contract).falseExamples.map((found) => found.pointer)).toEqual([pointer]);
  });

  test('cases 109 and 110: both are found when a schema has examples and a media type a false one', () => {
    const contract = contractWith({
      media: { example: { id: 5 } },
      schemas: { Thing: { ...thing, examples: [{ id: 'Other:1' }] } },
    });
    expect(findFalseExamples(contract).falseExamples).toHaveLength(2);
  });

  test('case 112: a union is checked by its discriminator, mapping or not', () => {
    const member = (name: string) => ({
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: { type: { type: 'string', const: name }, [name]: { type: 'string' } },
    });
    const union = {
      type: 'object',
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
      discriminator: { propertyName: 'type', mapping: { a: '#/components/schemas/A', b: '#/components/schemas/B' } },
    };
    const schemas = { Thing: union, A: member('a'), B: member('b') };
    const check = (example: unknown) => findFalseExamples(contractWith({ media: { example }, schemas })).falseExamples;
    expect(check({ type: 'a', a: 'x' })).toEqual([]);
    expect(check({ type: 'a', b: 'x' })).toHaveLength(1);
  });

  test('a format that nobody checks stops the check instead of passing', () => {
    const schemas = { Thing: { type: 'string', format: 'moon-phase' } };
    expect(() => findFalseExamples(contractWith({ media: { example: 'full' }, schemas }))).toThrow(/moon-phase/);
  });

  test('true examples raise nothing, and a property may be called example', () => {
    const example = { id: 'Thing:1', at: '2025-10-13T09:00:00.000Z', example: 'text' };
    expect(findFalseExamples(contractWith({ media: { example } })).falseExamples).toEqual([]);
  });
});

/** Returns the planted value; undefined if the plant doesn't apply. */
type Plant = (value: unknown, key: string) => unknown;

const plants: Record<string, Plant> = {
  extraField: (value) => (isObject(value) ? { ...value, fieldThatIsNot: true } : undefined),
  wrongType: (value) => ({ string: { a: 1 }, number: 'many', boolean: 'yes' })[typeof value as string],
  wrongEnum: (value, key) =>
    /^(.*[tT]ype|status|code|permissions)$/.test(key) && typeof value === 'string' ? 'NO_SUCH' : undefined,
};

/** Every way to plant the fault once in a value. Below `details` an error may contain anything (D05). */
function plantedIn(value: unknown, plant: Plant, key = ''): unknown[] {
  const own = plant(value, key);
  if (typeof value !== 'object' || value === null || key === 'details')
    return own === undefined || key === 'details' ? [] : [own];
  const inner = Object.entries(value).flatMap(([name, child]) =>
    plantedIn(child, plant, Array.isArray(value) ? key : name).map((planted) =>
      Array.isArray(value) ? value.with(Number(name), planted) : { ...value, [name]: planted },
    ),
  );
  return own === undefined ? inner : [own, ...inner];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Media {
  examples: Record<string, { readonly $ref?: string; readonly value?: unknown }>;
}

/** The media types of a document, each with its JSON pointer. */
function mediaTypesIn(node: unknown, pointer = ''): [pointer: string, media: Media][] {
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([key, value]): [string, Media][] => {
    const here = `${pointer}/${pointerSegment(key)}`;
    if (key === 'application/json') return [[here, value as Media]];
    return ['examples', 'schemas', 'parameters'].includes(key) ? [] : mediaTypesIn(value, here);
  });
}

describe('the real contract', () => {
  const contract: ContractDocument = bundle;

  test('has examples, and none is false', () => {
    const { checked, falseExamples } = findFalseExamples(contract);
    expect(falseExamples).toEqual([]);
    expect(checked).toBeGreaterThan(operations.length);
  });

  test('cases 109 and 110: a wrong type, an extra field or a wrong enum anywhere in any example is found', () => {
    const spoilt = structuredClone(bundle);
    const named = bundle.components.examples;
    const expected: string[] = [];
    for (const [pointer, media] of sample(mediaTypesIn(spoilt), 60)) {
      const values = Object.values(media.examples).map(
        ({ $ref, value }) => value ?? named[$ref?.split('/').at(-1) ?? '']?.value,
      );
      const wrong = Object.entries(plants).flatMap(([kind, plant]) =>
        values.flatMap((value) => plantedIn(value, plant)).map((value, i) => [`${kind}${i}`, { value }] as const),
      );
      media.examples = Object.fromEntries(wrong);
      expected.push(...wrong.map(([name]) => `${pointer}/examples/${name}`));
    }
    const { falseExamples } = findFalseExamples(spoilt);
    const found = new Set(falseExamples.map(({ pointer }) => pointer));
    expect(expected.length).toBeGreaterThan(byLength(500, 5000));
    expect(expected.filter((pointer) => !found.has(pointer))).toEqual([]);
  });

  test('refuses what the sandbox refuses, in its words, and only of what the operation takes', () => {
    expect(findMisleadingRefusals(contract)).toEqual([]);
    expect(readExamples(contract).filter(({ role }) => role === 'refusal').length).toBeGreaterThan(100);
  });

  test.each<[what: string, change: (refusal: Record<string, unknown>) => void, fault: RegExp]>([
    ['another message', (refusal) => Object.assign(refusal, { message: 'No.' }), /the sandbox says "Invalid body/],
    ['no list of faults', (refusal) => delete refusal['details'], /AMOUNT_OUT_OF_RANGE comes with details.errors/],
    [
      'a parameter of another operation',
      (refusal) =>
        Object.assign(refusal, {
          message: 'Invalid query /of: is odd.',
          details: { errors: [{ in: 'query', pointer: '/of', message: 'is odd' }] },
        }),
      /takes no query of/,
    ],
  ])('finds %s in a refusal', (_what, change, fault) => {
    const spoilt = structuredClone(bundle);
    change(spoilt.components.examples.amountOutOfRange.value);
    const found = findMisleadingRefusals(spoilt);
    expect(found.length).toBeGreaterThan(0);
    for (const sentence of found) expect(sentence).toMatch(fault);
  });

  test('a refusal that is called like a code has that code', () => {
    const errors = Object.keys(bundle.components.examples).filter((name) => !name.includes('.'));
    for (const name of errors) {
      const code = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
      const { value } = bundle.components.examples[name] ?? {};
      if (code in errorStatus) expect([name, value]).toEqual([name, expect.objectContaining({ code })]);
    }
  });
});

test("a contract of somebody else may be open: then a field that no schema describes isn't a fault", () => {
  const contract = contractWith({ media: { example: { id: 'Thing:1', colour: 'red' } } });
  const found = (isClosed: boolean) =>
    findFalseExamples(contract, { isClosed }).falseExamples.map(({ pointer }) => pointer);
  expect(found(false)).toEqual([]);
  expect(found(true)).toEqual([`${media}/example`]);
});

describe('an example of a shared parameter', () => {
  const responses = { '200': { description: 'Done.' } };
  const use = (operationId: string) => ({
    operationId,
    parameters: [{ $ref: '#/components/parameters/ThingId' }],
    responses,
  });
  const ThingId = {
    name: 'id',
    in: 'path' as const,
    required: true,
    examples: { first: { value: 'Thing:1' }, deleteThing: { value: 'Thing:2' } },
  };
  const dealt = distributeParameterExamples({
    openapi: '3.1.0',
    paths: { '/things/{id}': { get: use('getThing'), delete: use('deleteThing') } },
    components: { parameters: { ThingId } },
  });
  const { get, delete: remove } = dealt.paths['/things/{id}'] ?? {};

  test('that is named after an operation is for that operation alone', () => {
    const own = { ...ThingId, examples: { deleteThing: { value: 'Thing:2' } } };
    expect((remove as Operation).parameters).toEqual([own]);
  });

  test('that is not stays with the shared parameter, which every other operation refers to', () => {
    expect((get as Operation).parameters).toEqual([{ $ref: '#/components/parameters/ThingId' }]);
    expect(Object.keys(dealt.components?.parameters?.['ThingId']?.examples ?? {})).toEqual(['first']);
  });
});
