/** A world or a snapshot that somebody hands over, before a platform begins with it. */

import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';

import { type OperationId, operations } from '../../../generated/operations.ts';

import { findCurrency, maxAmount } from '../payments/currencies.ts';
import type { Fill } from '../store/units/unit.ts';
import type { Clock } from '../tools/clock.ts';
import { readAsJson } from '../tools/json.ts';
import { invalid, invalidField, Problem, placeBelow } from '../tools/problem.ts';
import type { SnapshotDocument, World } from '../worlds/shape.ts';
import { isSnapshot, type Snapshot, snapshotBounds } from '../worlds/snapshot.ts';

import { fillPlatform, type PlatformStart } from '../worlds/world.ts';

import { bodyCheck } from './route.ts';
import { checkSnapshot } from './snapshot.ts';
import { tryRecords } from './snapshotRecords.ts';

const account = {
  type: 'object',
  required: ['currency'],
  additionalProperties: false,
  properties: { currency: { type: 'string' }, balance: { type: 'integer', minimum: 0, maximum: maxAmount } },
};

const agent = {
  type: 'object',
  properties: { deviceCode: { type: 'string', pattern: '^AGENT-[0-9A-Z]{4}-[0-9A-Z]{4}$' } },
};

const worldShape = {
  type: 'object',
  required: ['customers'],
  additionalProperties: false,
  properties: {
    customers: {
      type: 'array',
      maxItems: 1000,
      items: {
        type: 'object',
        required: ['customer'],
        additionalProperties: false,
        properties: {
          customer: { type: 'object' },
          accounts: { type: 'array', maxItems: 100, items: account },
          externalAccounts: { type: 'array', maxItems: 100, items: { type: 'object' } },
          agents: { type: 'array', maxItems: 100, items: agent },
        },
      },
    },
  },
};

const findMisshapen = bodyCheck(worldShape);

/** Fills a platform for the first time: what a snapshot brings is tried, as nothing else has looked at its records yet. */
export function fillChecked(contract: Contract): Fill<PlatformStart> {
  return async (unit, start) => {
    const { world } = start;
    if (!isSnapshot(world)) return fillPlatform(unit, start);
    try {
      await tryRecords(unit, world, contract, () => fillPlatform(unit, start));
    } catch (error) {
      throw error instanceof Problem ? placeBelow('/world', error) : error;
    }
  };
}

/**
 * Reads a world that a program hands over as if it had come as JSON.
 * @throws Problem 400 for a value that JSON can't hold, or that isn't an object.
 */
export function parseWorld(given: unknown): World | SnapshotDocument {
  try {
    const world = readAsJson(given, snapshotBounds);
    if (typeof world === 'object' && world !== null) return world as World | SnapshotDocument;
  } catch (error) {
    throw error instanceof Problem ? placeBelow('/world', error) : error;
  }
  throw invalidField('/world', 'must be a world or a snapshot');
}

/**
 * @throws Problem 400 where something of the world is not what the contract's operation for it takes, and for an account
 * in a currency that there is none of.
 */
export function checkWorld(world: World | SnapshotDocument, contract: Contract, clock: Clock): World | Snapshot {
  if (isSnapshot(world)) return checkSnapshot(world, clock, '/world');
  const misshapen = findMisshapen(world);
  if (misshapen.length > 0) throw invalid(misshapen.map((one) => ({ ...one, pointer: `/world${one.pointer}` })));
  const check = (operationId: OperationId, request: unknown, pointer: string): Fault[] => {
    const operation = operations.find(({ id }) => id === operationId);
    if (operation === undefined) throw new Error(`The contract has no operation ${operationId}`);
    const faults = toFaults('body', contract.checkRequest(operation, request));
    return faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }));
  };
  // What belongs to a customer of the world: which one says its place, so it must not say so itself.
  const checkPart = (operationId: OperationId, part: object, pointer: string): Fault[] => [
    ...check(operationId, { ...part, customerId: 'Customer:world' }, pointer),
    ...('customerId' in part
      ? [{ in: 'body', pointer: `${pointer}/customerId`, message: 'is said by its place in the world' } as const]
      : []),
  ];
  const faults = world.customers.flatMap(({ customer, externalAccounts = [], agents = [] }, index): Fault[] => {
    const at = `/world/customers/${index}`;
    return [
      ...check('createCustomer', customer, `${at}/customer`),
      ...externalAccounts.flatMap((account, place) =>
        checkPart('createExternalAccount', account, `${at}/externalAccounts/${place}`),
      ),
      ...agents.flatMap(({ deviceCode: _code, ...request }, place) =>
        checkPart('createAgent', request, `${at}/agents/${place}`),
      ),
    ];
  });
  if (faults.length > 0) throw invalid(faults);
  const unknown = world.customers.flatMap(({ accounts = [] }, index) =>
    accounts.flatMap(({ currency }, place): Fault[] => {
      const pointer = `/world/customers/${index}/accounts/${place}/currency`;
      const message = `${currency} is not a currency of the service`;
      return findCurrency(currency) === undefined ? [{ in: 'body', pointer, message }] : [];
    }),
  );
  if (unknown.length > 0) throw invalid(unknown, 'INVALID_CURRENCY');
  return world;
}
