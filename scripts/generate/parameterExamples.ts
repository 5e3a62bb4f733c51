/** Gives each operation its own examples of shared parameters. */
import {
  type ContractDocument,
  type Examples,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  type PathItem,
  resolveRef,
} from '../lib/contract.ts';

/**
 * Returns the contract with the examples of shared parameters distributed. An example named after an operation belongs
 * only to that operation. There the parameter is inlined with this example only, because tools take the first one. All
 * other operations refer to the shared parameter, which keeps the examples that name no operation.
 */
export function distributeParameterExamples(bundled: ContractDocument): ContractDocument {
  const names = new Set(operationsIn(bundled).map(({ operationId }) => operationId));
  const own = (operation: Operation, reference: MaybeRef<Parameter>): MaybeRef<Parameter> => {
    if (!('$ref' in reference)) return reference;
    const parameter = resolveRef<Parameter>(bundled, reference);
    const example = parameter.examples?.[operation.operationId];
    return example === undefined ? reference : { ...parameter, examples: { [operation.operationId]: example } };
  };
  const paths = mapValues(bundled.paths, (item) =>
    mapValues(item, (operation) => {
      if (!isOperation(operation) || operation.parameters === undefined) return operation;
      return { ...operation, parameters: operation.parameters.map((one) => own(operation, one)) };
    }),
  );
  const parameters = mapValues(bundled.components?.parameters ?? {}, (parameter) =>
    withoutExamplesOf(names, parameter),
  );
  return {
    ...bundled,
    paths: paths as Record<string, PathItem>,
    components: { ...bundled.components, ...(bundled.components?.parameters && { parameters }) },
  };
}

function operationsIn({ paths }: ContractDocument): Operation[] {
  return Object.values(paths).flatMap((item) => httpMethods.map((method) => item[method]).filter(isOperation));
}

function withoutExamplesOf<T extends Examples>(operations: ReadonlySet<string>, holder: T): T {
  const { examples } = holder;
  if (examples === undefined) return holder;
  return {
    ...holder,
    examples: Object.fromEntries(Object.entries(examples).filter(([name]) => !operations.has(name))),
  };
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

function mapValues<From, To>(object: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
