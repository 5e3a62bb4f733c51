import type { Contract, SchemaErrors } from './contract.ts';

/**
 * Of a union without a discriminator every branch complains. Only the branch that fits best is heard.
 * @param contract judges the branches one by one, to tell which was meant.
 */
export function narrowUnions(contract: Contract, errors: SchemaErrors): SchemaErrors {
  const union = errors.find(({ keyword, params }) => keyword === 'oneOf' && params['passingSchemas'] === null);
  if (union === undefined) return errors;
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
