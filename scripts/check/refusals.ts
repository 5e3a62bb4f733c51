/** House rule R26 for errors: an example error says what the sandbox says about that operation. */
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

/** The 400 codes whose errors always list what is wrong and where (D05). */
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
 * Finds misleading example errors. Three kinds are misleading: one without the list of faults that the sandbox always
 * sends; one whose message isn't the sentence that the sandbox makes from that list; one with a fault in an input that
 * the operation doesn't have.
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
      // Only this fault is about an input that the operation doesn't have.
      .filter((fault) => fault.message !== 'is not a parameter of this operation')
      .map((fault) => (fault.in === 'body' ? 'body' : `${fault.in} ${fault.pointer.split('/')[1] ?? ''}`))
      .filter((place) => !inputs.includes(place))
      .map((place) => `the operation takes no ${place}`),
  ];
}

/** The inputs of an operation: `body`, and each parameter as `query limit`. */
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
