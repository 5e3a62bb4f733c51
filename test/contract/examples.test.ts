/**
 * Promise: no example of the contract is false. A wrong one is found wherever it stands, also where the linters go
 * silent: with `examples` on a component schema.
 */
import { describe, expect, test } from 'vitest';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import { operations } from '../../generated/operations.ts';
import { findFalseExamples } from '../../scripts/check/examples.ts';
import type { Contract } from '../../scripts/lib/contract.ts';

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

/** A contract in which a part can be replaced, for each test to plant its fault. */
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
  } as Contract;
}

const media = '/paths/~1things/get/responses/200/content/application~1json';

const planted: [what: string, contract: Contract, pointer: string][] = [
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

describe('the real contract', () => {
  test('has examples, and none is false', () => {
    const { checked, falseExamples } = findFalseExamples(bundle as unknown as Contract);
    expect(falseExamples).toEqual([]);
    expect(checked).toBeGreaterThan(operations.length);
  });
});
