/** Checks a world or a snapshot before a platform starts with it. */

import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';

import { findCurrency } from '../payments/currencies.ts';
import type { Fill } from '../store/units/unit.ts';
import { readAsJson } from '../tools/json.ts';
import { invalid, invalidField, Problem, placeBelow } from '../tools/problem.ts';
import type { SnapshotDocument, World, WorldName } from '../worlds/shape.ts';
import { isSnapshot, type Snapshot, snapshotBounds } from '../worlds/snapshot.ts';

import { fillPlatform, type PlatformStart } from '../worlds/world.ts';

import type { ControlParts } from './route.ts';
import { checkSnapshot } from './snapshotForm.ts';
import { tryRecords } from './snapshotRecords.ts';

/** Fills a new platform. It tries the records of a snapshot, because no other code has checked them yet. */
export function fillChecked(contract: Contract): Fill<PlatformStart> {
  return async (unit, start) => {
    const { world } = start;
    const fill = fillPlatform(contract);
    if (world === 'examples' || !isSnapshot(world)) return fill(unit, start);
    try {
      await tryRecords(unit, world, contract, () => fill(unit, start));
    } catch (error) {
      throw error instanceof Problem ? placeBelow('/world', error) : error;
    }
  };
}

/**
 * Reads a world from a program as if it were JSON.
 * @throws Problem 400 if JSON can't hold the value, or if it is neither an object nor a world's name.
 */
export function parseWorld(given: unknown): World | SnapshotDocument | WorldName {
  if (given === 'ready-made' || given === 'examples') return given;
  try {
    const world = readAsJson(given, snapshotBounds);
    if (typeof world === 'object' && world !== null) return world as World | SnapshotDocument;
  } catch (error) {
    throw error instanceof Problem ? placeBelow('/world', error) : error;
  }
  throw invalidField(
    '/world',
    'must be "ready-made", "examples", or an object with a world or a snapshot; leave it out for an empty platform',
  );
}

/** The parts that validate a world. */
export type WorldCheck = Pick<ControlParts, 'contract' | 'controlContract' | 'clock'>;

/**
 * Checks a world.
 * @throws Problem 400 if a part of the world isn't valid for the contract's operation that creates it, or if an account
 * has an unknown currency.
 */
export function checkWorld(world: World | SnapshotDocument, parts: WorldCheck): World | Snapshot {
  const { contract, controlContract, clock } = parts;
  if (isSnapshot(world)) return checkSnapshot(world, controlContract, clock, '/world');
  const misshapen = toFaults('body', controlContract.checkSchema('#/components/schemas/World', world));
  if (misshapen.length > 0) throw invalid(misshapen.map((one) => ({ ...one, pointer: `/world${one.pointer}` })));
  const faults = world.customers.flatMap(({ externalAccounts = [] }, index): Fault[] =>
    externalAccounts.flatMap(({ accountInfo }, place) => {
      const pointer = `/world/customers/${index}/externalAccounts/${place}/accountInfo`;
      const found = toFaults('body', contract.checkSchema('#/components/schemas/ExternalAccountInfo', accountInfo));
      return found.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }));
    }),
  );
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
