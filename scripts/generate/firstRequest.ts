/** Which parameters the first request of an operation sends: the one that a reader tries, in the page or a collection. */
import {
  type ContractDocument,
  type Example,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  resolveRef,
} from '../lib/contract.ts';

type Declared = Parameter & { readonly required?: boolean };

/**
 * Whether the first request has a parameter: it has what is required, and the wallet's signature where the first reply
 * comes after one.
 */
export function isSentFirst({ responses }: Operation, { name, required }: Declared): boolean {
  // Asking for the signature is the first reply, so it isn't there yet.
  const isAskedFirst = Object.keys(responses).find((status) => status < '300') === '202';
  return required === true || (/^(?:Service-Wallet-Signature|Request-Id)$/.test(name) && !isAskedFirst);
}

/**
 * Switches off what the first request doesn't send, in a contract that is Scalar's alone: it would send every parameter
 * that has an example, a cursor of another list among them. They stand ready in its form.
 */
export function switchOffOptional(contract: ContractDocument): void {
  const operations = Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
  for (const operation of operations) {
    const parameters = (operation.parameters ?? []).map((one): MaybeRef<Parameter> => {
      const parameter = resolveRef<Declared>(contract, one);
      // By itself, because other operations may send what is shared.
      return isSentFirst(operation, parameter) ? one : switchedOff(contract, parameter);
    });
    if (operation.parameters !== undefined) Object.assign(operation, { parameters });
  }
}

function switchedOff(contract: ContractDocument, parameter: Declared): Declared {
  const examples = Object.entries(parameter.examples ?? {}).map(([name, example]) => [
    name,
    { ...resolveRef<Example>(contract, example), 'x-disabled': true },
  ]);
  return { ...parameter, examples: Object.fromEntries(examples) };
}
