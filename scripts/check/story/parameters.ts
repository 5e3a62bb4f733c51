/** Compares the examples of parameters with the first reply of their operation. */
import { isThing, type NamedExample, nodesOf, type Thing, titleOf } from './read.ts';

/** What a list's parameter filters by, if the entries have no field with its name. */
const filtered: Readonly<Record<string, (entry: Thing) => unknown>> = {
  currency: (entry) => entry.balance?.currency.code ?? entry.currency ?? entry.currencies,
  currencyCode: (entry) => entry.supportedCurrencies?.map(({ code }: Thing) => code),
  countryCode: (entry) => entry.supportedRegions,
  sourceCurrency: (entry) => entry.sourceCurrency?.code,
  accountIdentifier: (entry) => [entry.source?.accountId, entry.destination?.accountId],
  senderAccountIdentifier: (entry) => entry.source?.accountId,
  receiverAccountIdentifier: (entry) => entry.destination?.accountId,
  reference: (entry) => entry.reconciliationInstructions?.reference,
  // The only parameter that takes several values; each entry has one of them.
  destinationCurrency: () => undefined,
};

/** The field that a bound limits, and whether it is the lower bound. */
const bounds: Readonly<Record<string, readonly [field: string, isLower: boolean]>> = {
  createdAfter: ['createdAt', true],
  createdBefore: ['createdAt', false],
  updatedAfter: ['updatedAt', true],
  updatedBefore: ['updatedAt', false],
  startDate: ['createdAt', true],
  endDate: ['createdAt', false],
};

/**
 * Finds a path that names another thing than the reply shows, and a list without any entry that matches all filters.
 * One sentence each.
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
  // A path can't name the id of something that is just being created.
  const isNew = ({ operationId }: NamedExample): boolean => /^(?:create|refresh)/.test(operationId);
  const shown = new Set(nodesOf(reply).flatMap((node) => Object.values(node)));
  return parameters
    .filter((one) => one.in === 'path' && !isNew(one) && kindOf(one.value) === kindOf(reply.id))
    .filter(({ value }) => kindOf(value) !== undefined && !shown.has(value))
    .map((one) => `${titleOf(one)}: ${where} is about ${reply.id}, not ${one.value}`);
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
