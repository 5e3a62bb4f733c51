import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Contract, SchemaErrors } from './contract.ts';

/**
 * In a union without a discriminator, every branch reports errors. Keeps the errors of the branch that fits best.
 * @param contract judges each branch, to find the one that was meant.
 */
export function narrowUnions(contract: Contract, errors: SchemaErrors): SchemaErrors {
  const unions = errors.filter(({ keyword, params }) => keyword === 'oneOf' && params['passingSchemas'] === null);
  // The outermost union first: its best branch reports what is inside it.
  return unions
    .toReversed()
    .toSorted((a, b) => a.instancePath.length - b.instancePath.length)
    .reduce((told, union) => narrow(contract, told, union), errors);
}

function narrow(contract: Contract, errors: SchemaErrors, union: ErrorObject): SchemaErrors {
  if (!errors.includes(union)) return errors;
  const at = union.instancePath;
  const others = errors.filter((error) => error !== union && !isAtOrBelow(error.instancePath, at));
  const branches = (union.schema as readonly { $ref?: string }[]).map(({ $ref = '' }) =>
    narrowUnions(contract, contract.checkSchema($ref, union.data)),
  );
  const best = branches.reduce((a, b) => (b.length < a.length ? b : a));
  return [...others, ...best.map((error) => ({ ...error, instancePath: at + error.instancePath }))];
}

function isAtOrBelow(pointer: string, above: string): boolean {
  return `${pointer}/`.startsWith(`${above}/`);
}
