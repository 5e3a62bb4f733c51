/**
 * House rule R26, second half: the examples of a contract tell one story. An id names the same thing everywhere, every
 * reference leads to an existing thing with the stated owner, and events happen in order. So a reader can follow one
 * customer and wallet through the whole reference.
 */
import { isDeepStrictEqual } from 'node:util';
import { findDisagreements } from './story/disagreements.ts';
import { neverShown } from './story/neverShown.ts';
import { findMisplacedParameters } from './story/parameters.ts';
import {
  isThing,
  type NamedExample,
  nodesOf,
  type ShownState,
  shownStatesIn,
  type Thing,
  titleOf,
} from './story/read.ts';
import { findSenselessTimes } from './story/times.ts';

/** The end of an id that an example error says doesn't exist. */
const gone = ':0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff';

/** Fields that change without a new `updatedAt`, or that only one reply shows. */
const restless: Readonly<Record<string, readonly string[]>> = {
  Agent: ['usage'],
  // Several fields say how an approval, a payment or a quote ends.
  AgentAction: ['status', 'transaction', 'failure', 'quote', 'rejectionReason'],
  Quote: ['status'],
  Session: ['encryptedSessionSigningKey'],
  Token: ['clientSecret'],
  Transaction: ['status', 'failureReason', 'settledAt', 'refund'],
};

/**
 * Fields that change without a request, with a new `updatedAt`. All other fields change only by a request that names
 * them.
 */
const changing: Readonly<Record<string, readonly string[]>> = {
  Agent: ['isConnected'],
  BeneficialOwner: ['kycStatus'],
  Customer: ['isDeleted', 'kycStatus', 'kybStatus', 'beneficialOwners'],
  InternalAccount: ['balance'],
};

const idForm = /\b(?:[A-Z][a-z]+)+:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const kindOf = (id: string): string => id.slice(0, id.indexOf(':'));

/**
 * Finds examples that contradict another example, or themselves.
 *
 * @returns one sentence per contradiction, beginning with the example; empty if the story is consistent
 */
export function findContradictions(examples: readonly NamedExample[]): string[] {
  const snapshots = examples.filter(({ role }) => role === 'reply').flatMap(shownStatesIn);
  const things = new Map(neverShown.map((thing) => [thing.id as string, thing]));
  for (const { thing } of snapshots) if (!things.has(thing.id)) things.set(thing.id, thing);
  const faults = [
    ...findStrangers(examples, things),
    ...findTwoStories(snapshots, examples),
    ...examples.flatMap((example) =>
      nodesOf(example.value).flatMap((node) =>
        findDisagreements(node, things).map((fault) => `${titleOf(example)}: ${fault}`),
      ),
    ),
    ...findSenselessTimes(snapshots),
    ...findMisplacedParameters(examples),
  ];
  return [...new Set(faults)];
}

/** Ids in the examples, also inside a payload to sign, that name nothing. */
function findStrangers(examples: readonly NamedExample[], things: ReadonlyMap<string, Thing>): string[] {
  // A quote has its transaction from the start (D69).
  const known = new Set([...things.keys(), ...[...things.values()].map((thing) => thing.transactionId)]);
  return examples.flatMap((example) => {
    const mentioned = new Set(JSON.stringify(example.value).match(idForm) ?? []);
    const isGone = (id: string): boolean => example.role === 'refusal' && id.endsWith(gone);
    return [...mentioned]
      .filter((id) => !known.has(id) && !isGone(id))
      .map((id) => `${titleOf(example)}: no example shows ${id}`);
  });
}

/** Things with different states in two places, although nothing has changed them. */
function findTwoStories(snapshots: readonly ShownState[], examples: readonly NamedExample[]): string[] {
  return [...Map.groupBy(snapshots, ({ thing }) => thing.id as string)].flatMap(([id, all]) => {
    const inTime = all.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : Number(timeOf(a) > timeOf(b))));
    const free = restless[kindOf(id)] ?? [];
    return inTime.slice(1).flatMap((later, index) => {
      const earlier = inTime[index] as ShownState;
      const differing = [...new Set([...Object.keys(earlier.thing), ...Object.keys(later.thing)])].filter(
        (field) => !free.includes(field) && !isDeepStrictEqual(earlier.thing[field], later.thing[field]),
      );
      const mayChange = timeOf(earlier) === timeOf(later) ? [] : fieldsChangedBy(later, examples);
      return differing
        .filter((field) => !mayChange.includes(field))
        .map((field) => `${later.where}: ${id} has another ${field} than in ${earlier.where}`);
    });
  });
}

const timeOf = ({ thing }: ShownState): string => thing.updatedAt ?? '';

/**
 * The fields that may differ in a later state: those that change without a request, and those that the operation's
 * requests name.
 */
function fieldsChangedBy({ operationId, thing }: ShownState, examples: readonly NamedExample[]): string[] {
  const named = examples
    .filter((example) => example.operationId === operationId && example.role === 'request')
    .flatMap(({ value }) => Object.keys(value as Thing));
  const holders = Object.keys(thing).filter(
    (field) => isThing(thing[field]) && named.some((name) => name in thing[field]),
  );
  return ['updatedAt', ...(changing[kindOf(thing.id)] ?? []), ...named, ...holders];
}
