/** Checks that need the whole contract: statuses without an explanation, and examples that contradict each other. */
import { isDeepStrictEqual } from 'node:util';
import {
  type ContractDocument,
  httpMethods,
  type Operation,
  type Parameter,
  resolveRef,
  type SchemaObject,
  schemaName,
} from '../../lib/contract.ts';

import { isThing, readExamples, type Thing } from '../story/read.ts';

/** Statuses that no description names: of each schema `…Status`, and of each filter by status. */
export function findUnexplainedStatuses(contract: ContractDocument): string[] {
  const schemas = Object.entries(contract.components?.schemas ?? {}).flatMap(([name, schema]) =>
    /Status$/.test(name) ? unnamed(name, schema as SchemaObject, (schema as SchemaObject)['description']) : [],
  );
  const filters = operationsOf(contract).flatMap((operation) =>
    (operation.parameters ?? []).flatMap((reference) => {
      const parameter = resolveRef<Parameter>(contract, reference);
      const name = parameter.schema === undefined ? undefined : schemaName(parameter.schema);
      if (name === undefined || !/Status$/.test(name)) return [];
      const schema = resolveRef<SchemaObject>(contract, parameter.schema as SchemaObject);
      const { description } = parameter as { description?: unknown };
      return unnamed(`${operation.operationId} ${parameter.name}`, schema, description);
    }),
  );
  return [...schemas, ...filters];
}

function unnamed(where: string, schema: SchemaObject, description: unknown): string[] {
  const named = new Set(String(description ?? '').match(/[A-Z_]{3,}/g));
  const silent = (schema.enum ?? []).map(String).filter((value) => !named.has(value));
  return silent.length === 0 ? [] : [`${where}: nothing explains ${silent.join(', ')}`];
}

/** Facts that an operation's refusal states, and that its description must state first. */
const facts: readonly RegExp[] = [/on its way/];

/** Operations whose example refusal gives a reason that the description leaves out. */
export function findUnmentionedReasons(contract: ContractDocument): string[] {
  const examples = readExamples(contract).filter(({ role }) => role === 'refusal');
  return operationsOf(contract).flatMap((operation) => {
    const { operationId, description } = operation as Operation & { description?: string };
    const told = examples.filter((example) => example.operationId === operationId).map(({ value }) => value as Thing);
    return facts
      .filter((fact) => told.some(({ message }) => fact.test(message)) && !fact.test(flat(description)))
      .map((fact) => `${operationId}: a refusal says "${fact.source}", the description does not`);
  });
}

const flat = (text = ''): string => text.replaceAll(/\s+/g, ' ');

/** Pages whose first request and first reply don't belong to the same call: a field has different values in them. */
export function findStrangePairs(contract: ContractDocument): string[] {
  const examples = readExamples(contract);
  return operationsOf(contract).flatMap(({ operationId }) => {
    const own = examples.filter((example) => example.operationId === operationId);
    const request = own.find(({ role }) => role === 'request');
    const reply = own.find(({ role }) => role === 'reply');
    if (!isThing(request?.value) || !isThing(reply?.value)) return [];
    return contradictions(request.value, reply.value).map(
      (field) =>
        `${operationId}: the first request (${request.name}) has another ${field} than the first reply (${reply.name})`,
    );
  });
}

/**
 * Request fields that have another value in the reply. Fields that the reply adds to an object aren't a contradiction.
 */
function contradictions(request: Thing, reply: Thing, at = ''): string[] {
  return Object.entries(request).flatMap(([field, sent]) => {
    const got = reply[field];
    if (got === undefined || isDeepStrictEqual(sent, got)) return [];
    if (isThing(sent) && isThing(got)) return contradictions(sent, got, `${at}${field}.`);
    return [`${at}${field}`];
  });
}

function operationsOf(contract: ContractDocument): Operation[] {
  return Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
}
