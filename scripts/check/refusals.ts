/** House rule R26, on refusals: an example says what the sandbox says, of the operation that it stands under. */
import type { Fault } from '../../contract/faults.ts';
import { invalid } from '../../mocks/sandbox/tools/problem.ts';
import {
  type ContractDocument,
  type Example,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  resolveRef,
} from '../lib/contract.ts';

/** The 400 codes whose refusals always list what is wrong and where (D05). */
const located = [
  'AMOUNT_OUT_OF_RANGE',
  'INVALID_AMOUNT',
  'INVALID_BANK_ACCOUNT',
  'INVALID_CURRENCY',
  'INVALID_INPUT',
  'INVALID_UMA_ADDRESS',
  'MISSING_MANDATORY_USER_INFO',
] as const;

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly errors?: readonly Fault[] };
}

/**
 * What is misleading about the named examples of refusals: no list of faults where the sandbox always sends one, a
 * message that is not the sentence which the sandbox makes of that list, or a fault in something that the operation
 * does not take.
 *
 * @returns one sentence each, beginning with operation and example
 */
export function findMisleadingRefusals(contract: ContractDocument): string[] {
  return Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined) return [];
      const inputs = inputsOf(contract, operation, item.parameters ?? []);
      return refusalsOf(contract, operation).flatMap(([name, refusal]) =>
        misleading(refusal, inputs).map((fault) => `${operation.operationId}.${name}: ${fault}`),
      );
    }),
  );
}

function misleading({ code, message, details }: Refusal, inputs: readonly string[]): string[] {
  const { errors } = details ?? {};
  const known = located.find((one) => one === code);
  if (errors === undefined) return known === undefined ? [] : [`${code} comes with details.errors`];
  const sentence = invalid(errors, known).message;
  return [
    ...(message === sentence ? [] : [`the sandbox says "${sentence}"`]),
    ...errors
      // The one fault that is about what the operation does not take.
      .filter((fault) => fault.message !== 'is not a parameter of this operation')
      .map((fault) => (fault.in === 'body' ? 'body' : `${fault.in} ${fault.pointer.split('/')[1] ?? ''}`))
      .filter((place) => !inputs.includes(place))
      .map((place) => `the operation takes no ${place}`),
  ];
}

/** What an operation takes: `body`, and each parameter as `query limit`. */
function inputsOf(contract: ContractDocument, operation: Operation, shared: readonly MaybeRef<Parameter>[]): string[] {
  const parameters = [...shared, ...(operation.parameters ?? [])].map((one) => resolveRef(contract, one));
  return [
    ...(operation.requestBody === undefined ? [] : ['body']),
    ...parameters.map((parameter) => `${parameter.in} ${parameter.name}`),
  ];
}

function refusalsOf(contract: ContractDocument, { responses }: Operation): [name: string, refusal: Refusal][] {
  return Object.entries(responses)
    .filter(([status]) => status >= '400')
    .flatMap(([, reference]) =>
      Object.entries(resolveRef(contract, reference).content?.['application/json']?.examples ?? {}),
    )
    .map(([name, example]) => [name, resolveRef<Example>(contract, example).value as Refusal]);
}
