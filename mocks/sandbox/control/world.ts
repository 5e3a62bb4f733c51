/** A world or a snapshot that somebody hands over, before a platform begins with it. */

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
import { checkSnapshot } from './snapshot.ts';
import { tryRecords } from './snapshotRecords.ts';

/** Fills a platform for the first time: what a snapshot brings is tried, as nothing else has looked at its records yet. */
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
 * Reads a world that a program hands over as if it had come as JSON.
 * @throws Problem 400 for a value that JSON can't hold, or that is neither an object nor the name of a world.
 */
export function parseWorld(given: unknown): World | SnapshotDocument | WorldName {
  if (given === 'ready-made' || given === 'examples') return given;
  try {
    const world = readAsJson(given, snapshotBounds);
    if (typeof world === 'object' && world !== null) return world as World | SnapshotDocument;
  } catch (error) {
    throw error instanceof Problem ? placeBelow('/world', error) : error;
  }
  throw invalidField('/world', 'must be ready-made, examples, a world or a snapshot');
}

/** The parts that validate a world. */
export type WorldCheck = Pick<ControlParts, 'contract' | 'controlContract' | 'clock'>;

/**
 * @throws Problem 400 where something of the world is not what the contract's operation for it takes, and for an account
 * in a currency that there is none of.
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
