/** Makes Scalar send the first request of each operation. */
import { type ContractDocument, type Example, httpMethods, type Operation, resolveRef } from '../lib/contract.ts';
import { type Declared, isSentFirst } from './firstRequests.ts';

/**
 * Makes a contract that is Scalar's alone send what the first request has, and nothing else. Scalar looks for an example
 * under the name of the body's, so a parameter with an example of another name would be sent empty, or not at all: what
 * is sent has one `example` without a name. Any other parameter that has an example would be sent too, a cursor of
 * another list among them: those are switched off, and stand ready in the form.
 */
export function fillInFirstRequests(contract: ContractDocument): void {
  const operations = Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
  for (const operation of operations) {
    if (operation.parameters === undefined) continue;
    // Each by itself, because one operation may send what another doesn't.
    const parameters = operation.parameters.map((one) => {
      const parameter = resolveRef<Declared>(contract, one);
      return isSentFirst(operation, parameter) ? filledIn(contract, parameter) : switchedOff(contract, parameter);
    });
    Object.assign(operation, { parameters });
  }
}

function filledIn(contract: ContractDocument, { examples = {}, ...parameter }: Declared): object {
  const [first] = Object.values(examples);
  if (first === undefined) return parameter;
  return { ...parameter, example: resolveRef<Example>(contract, first).value };
}

function switchedOff(contract: ContractDocument, parameter: Declared): object {
  const examples = Object.entries(parameter.examples ?? {}).map(([name, example]) => [
    name,
    { ...resolveRef<Example>(contract, example), 'x-disabled': true },
  ]);
  return { ...parameter, examples: Object.fromEntries(examples) };
}
