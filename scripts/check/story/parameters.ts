/** What the examples of parameters ask for, against what the first reply of their operation shows. */
import { isThing, type NamedExample, nodesOf, type Thing, titleOf } from './read.ts';

/** What a parameter of a list filters by, where the entries have no field of its name. */
const filtered: Readonly<Record<string, (entry: Thing) => unknown>> = {
  currency: (entry) => entry.balance?.currency.code ?? entry.currency ?? entry.currencies,
  currencyCode: (entry) => entry.supportedCurrencies?.map(({ code }: Thing) => code),
  countryCode: (entry) => entry.supportedRegions,
  sourceCurrency: (entry) => entry.sourceCurrency?.code,
  accountIdentifier: (entry) => [entry.source?.accountId, entry.destination?.accountId],
  senderAccountIdentifier: (entry) => entry.source?.accountId,
  receiverAccountIdentifier: (entry) => entry.destination?.accountId,
  reference: (entry) => entry.reconciliationInstructions?.reference,
  // The only parameter of several values, which the entries have one each of.
  destinationCurrency: () => undefined,
};

/** The field that a bound is about, and whether it is the lower one. */
const bounds: Readonly<Record<string, readonly [field: string, isLower: boolean]>> = {
  createdAfter: ['createdAt', true],
  createdBefore: ['createdAt', false],
  updatedAfter: ['updatedAt', true],
  updatedBefore: ['updatedAt', false],
  startDate: ['createdAt', true],
  endDate: ['createdAt', false],
};

/**
 * A path that names another thing than the reply is about, and a list of which no entry has what the filters ask for
 * together. One sentence each.
 */
export function findMisplacedParameters(examples: readonly NamedExample[]): string[] {
  const byOperation = Map.groupBy(examples, ({ operationId }) => operationId);
  return [...byOperation.values()].flatMap((told) => {
    const reply = told.find(({ role }) => role === 'reply');
    if (reply === undefined || !isThing(reply.value)) return [];
    const parameters = told.filter(({ role }) => role === 'parameter');
    const entries = reply.value.data;
    if (Array.isArray(entries)) return findEmptyFilter(parameters, entries.filter(isThing), titleOf(reply));
    return findOtherThings(parameters, reply.value, titleOf(reply));
  });
}

function findOtherThings(parameters: readonly NamedExample[], reply: Thing, where: string): string[] {
  const kindOf = (id: unknown): string | undefined => /^([A-Za-z]+):/.exec(String(id))?.[1];
  // What is new has an id that no path could name.
  const isNew = ({ operationId }: NamedExample): boolean => /^(?:create|refresh)/.test(operationId);
  const shown = new Set(nodesOf(reply).flatMap((node) => Object.values(node)));
  return parameters
    .filter((one) => one.in === 'path' && !isNew(one) && kindOf(one.value) === kindOf(reply.id))
    .filter(({ value }) => kindOf(value) !== undefined && !shown.has(value))
    .map((one) => `${titleOf(one)}: ${where} is about ${reply.id} and not ${one.value}`);
}

function findEmptyFilter(parameters: readonly NamedExample[], entries: readonly Thing[], where: string): string[] {
  const filters = parameters.filter(({ in: place }) => place === 'query');
  const fits = (entry: Thing): boolean => filters.every((filter) => isMet(filter, entry));
  if (entries.some(fits)) return [];
  const unmet = filters.filter((filter) => !entries.some((entry) => isMet(filter, entry)));
  const blamed = (unmet.length === 0 ? filters : unmet).map(({ parameter, value }) => `${parameter}=${value}`);
  return [`${titleOf(filters[0] as NamedExample)}: no entry of ${where} has ${blamed.join(' and ')}`];
}

function isMet({ parameter = '', value }: NamedExample, entry: Thing): boolean {
  const bound = bounds[parameter];
  if (bound !== undefined) {
    const [field, isLower] = bound;
    const time = entry[field];
    return time === undefined || (isLower ? time >= String(value) : time <= String(value));
  }
  const has = filtered[parameter]?.(entry) ?? (parameter in filtered ? undefined : entry[parameter]);
  return has === undefined || [has].flat().includes(value);
}
