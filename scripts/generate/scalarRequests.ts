/** Makes Scalar send the first request of each operation. */
import { type ContractDocument, type Example, httpMethods, type Operation, resolveRef } from '../lib/contract.ts';
import { type Declared, isSentFirst } from './firstRequests.ts';

/**
 * Makes a contract, which only Scalar reads, send the first requests and nothing else. Scalar looks for a parameter's
 * example by the name of the body's example. A parameter whose example has another name would be sent empty, or not at
 * all. So each parameter that is sent gets one unnamed `example`. Scalar would also send every other parameter that has
 * an example, such as a cursor of another list. Those are switched off, but stay in the form.
 */
export function fillInFirstRequests(contract: ContractDocument): void {
  const operations = Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
  for (const operation of operations) {
    if (operation.parameters === undefined) continue;
    // Copied for each operation, because one may send a parameter that another doesn't.
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
