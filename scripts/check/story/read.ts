/** Reads the examples of a contract, and the states of things that they show. */
import {
  type ContractDocument,
  type Example,
  type Examples,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  type RequestBody,
  resolveRef,
} from '../../lib/contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: an example may contain anything
export type Thing = Readonly<Record<string, any>>;

/** A named example of an operation: a parameter, a request or a reply (errors too). */
export interface NamedExample {
  readonly operationId: string;
  readonly name: string;
  readonly role: 'parameter' | 'request' | 'reply' | 'refusal';
  readonly value: unknown;
  /** The parameter that it is an example of, and where it is sent. */
  readonly parameter?: string;
  readonly in?: Parameter['in'];
}

/** A state of something with an id, as an example shows it. */
export interface ShownState {
  readonly where: string;
  readonly operationId: string;
  readonly thing: Thing;
}

/** True for an object: neither null nor an array. */
export const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The named examples of every operation, in document order. */
export function readExamples(contract: ContractDocument): NamedExample[] {
  const told = (operationId: string, role: NamedExample['role'], media: Examples | undefined): NamedExample[] =>
    Object.entries(media?.examples ?? {}).map(([name, example]) => {
      const { value } = resolveRef<Example>(contract, example as MaybeRef<Example>);
      return { operationId, name, role, value };
    });
  const examplesOfParameter = (operationId: string, reference: MaybeRef<Parameter>): NamedExample[] => {
    const parameter = resolveRef<Parameter>(contract, reference);
    return told(operationId, 'parameter', parameter).map((example) => ({
      ...example,
      name: `${parameter.name}.${example.name}`,
      parameter: parameter.name,
      in: parameter.in,
    }));
  };
  return Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined) return [];
      const { operationId, parameters = [], requestBody, responses } = operation;
      const body = requestBody && resolveRef<RequestBody>(contract, requestBody).content?.['application/json'];
      return [
        ...[...(item.parameters ?? []), ...parameters].flatMap((one) => examplesOfParameter(operationId, one)),
        ...told(operationId, 'request', body),
        ...Object.entries(responses).flatMap(([status, reference]) =>
          told(
            operationId,
            status < '400' ? 'reply' : 'refusal',
            resolveRef(contract, reference).content?.['application/json'],
          ),
        ),
      ];
    }),
  );
}

/** Operation and name of an example, for a message. */
export const titleOf = ({ operationId, name }: NamedExample): string => `${operationId}.${name}`;

/** Every object inside a value, the value itself first. */
export function nodesOf(value: unknown): Thing[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(isThing(value) ? [value] : []), ...Object.values(value).flatMap(nodesOf)];
}

/** The states, of things with an id, that a reply shows. */
export function shownStatesIn(example: NamedExample): ShownState[] {
  const { operationId } = example;
  return nodesOf(example.value).flatMap((node) => {
    // The reply of an export isn't a state of the account. Lookups and pending requests use other field names for their
    // ids.
    if ('encryptedWalletCredentials' in node) return [];
    const id = node.id?.includes?.(':')
      ? node.id
      : (node.requestId ?? ('supportedCurrencies' in node ? node.lookupId : undefined));
    return typeof id === 'string' ? [{ where: titleOf(example), operationId, thing: { ...node, id } }] : [];
  });
}
