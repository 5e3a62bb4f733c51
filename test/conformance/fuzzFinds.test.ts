/**
 * Promise: the fuzz finds faults. A fault that is planted in a handler, in the validation of requests or in replies is
 * found, reduced to a small request, and found again with the printed command.
 */
import { describe, expect, test } from 'vitest';
import type { Contract } from '../../contract/contract.ts';
import { loadContract } from '../../contract/file.ts';
import { type Operation, operations } from '../../generated/operations.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { invalidField } from '../../mocks/sandbox/tools/problem.ts';
import { requestFaults } from '../fuzz/oracle.ts';
import type { Case } from '../fuzz/requests.ts';
import { type Failure, fuzz } from '../fuzz/run.ts';
import type { Plant } from '../fuzz/stage.ts';
import { bundle } from '../support/expect/apiError.ts';
import type { Json } from '../support/requests/targets.ts';
import { byLength, isLongRun } from '../support/run/length.ts';

const seed = 7;
const createToken = operations.find(({ id }) => id === 'createToken') as Operation;
const { prepare: _none, ...plain } = handlers.createToken;

/** @param isShrunk false if only the first finding matters, not a small case. A small batch is reduced faster. */
async function find(plant: Plant, isShrunk = true): Promise<Failure> {
  const { failure } = await fuzz(createToken, { seed, cases: isShrunk ? 30 : 500, plant, isShrunk });
  if (failure === undefined) throw new Error('Nothing was found');
  return failure;
}

/** The contract with one changed schema, only for the sandbox. */
function withSchema(name: string, change: (schema: typeof bundle) => void): Contract {
  const document = structuredClone(bundle);
  change(document.components.schemas[name]);
  return loadContract(document);
}

function nameIn(one: Case | undefined): unknown {
  return (one?.parts.body as { name?: unknown } | undefined)?.name;
}

function isValid(body: unknown): boolean {
  return requestFaults(createToken, { path: {}, query: [], headers: {}, body: body as Json }).length === 0;
}

// Each takes more than a second.
describe.each(isLongRun ? ['a handler'] : [])('%s', () => {
  const throwing: Plant = {
    handlers: {
      ...handlers,
      createToken: {
        ...plain,
        handle(call, unit, prepared) {
          if (call.body.name.length > 20) throw new Error('planted');
          return handlers.createToken.handle(call, unit, prepared);
        },
      },
    },
  };

  test('that throws on a certain value is found, with the smallest value that does it, and found again', async () => {
    const failure = await find(throwing);
    const { path, message, batch } = failure;
    expect(message).toContain('the answer breaks the contract: status 500');
    expect(batch.cases).toHaveLength(1);
    expect(batch.cases[0]).toMatchObject({
      before: null,
      parts: { query: [], headers: {}, body: { permissions: [expect.anything()] } },
    });
    expect(nameIn(batch.cases[0])).toHaveLength(21);
    const again = await fuzz(createToken, { seed, cases: failure.size, path, plant: throwing });
    expect(again.failure).toEqual(failure);
    expect(again.cases).toBeLessThan(20);
  });

  test('that changes something and refuses anyway is found', async () => {
    const { message } = await find(
      {
        contract: withSchema('TokenCreateRequest', (schema) => {
          for (const keyword of Object.keys(schema)) delete schema[keyword];
        }),
        handlers: {
          ...handlers,
          createToken: {
            ...plain,
            async handle(call, unit, prepared) {
              if (isValid(call.body)) return handlers.createToken.handle(call, unit, prepared);
              const body = { name: 'Another', permissions: ['VIEW' as const] };
              await handlers.createToken.handle({ ...call, body }, unit, prepared);
              return invalidField('', 'planted');
            },
          },
        },
      },
      false,
    );
    expect(message).toContain('a refused request changed something');
  });
});

describe('a validation', () => {
  test.each(isLongRun ? ['that takes another field is found'] : [])('%s', async () => {
    const contract = withSchema('TokenCreateRequest', (schema) => {
      schema.additionalProperties = true;
    });
    const { message } = await find({ contract }, false);
    expect(message).toContain('not refused as it must be');
  });

  test('that is too strict is found', async () => {
    const contract = withSchema('TokenCreateRequest', (schema) => {
      schema.properties.name.maxLength = 8;
    });
    const { message, batch } = await find({ contract });
    expect(message).toContain('valid, and refused by no rule in words');
    expect(nameIn(batch.cases[0])).toHaveLength(9);
  });
});

test('an answer that the contract does not allow is found, though the sandbox lets it pass', async () => {
  const contract = withSchema('Token', (schema) => {
    schema.required = [];
  });
  const { message } = await find(
    {
      contract,
      handlers: {
        ...handlers,
        createToken: {
          ...plain,
          async handle(call, unit, prepared) {
            const made = await handlers.createToken.handle(call, unit, prepared);
            if (!('body' in made) || call.body.name === 'Reader') return made;
            const { createdAt: _gone, ...body } = made.body as { createdAt: string };
            return { ...made, body } as never;
          },
        },
      },
    },
    false,
  );
  expect(message).toContain('the answer breaks the contract: ');
});

test('the same seed is the same run', async () => {
  const run = () => fuzz(createToken, { seed, cases: byLength(30, 100) });
  expect(await run()).toEqual(await run());
});
