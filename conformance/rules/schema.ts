/** What the schema validator found, as breaches: one for each thing that is wrong, and where it is. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Contract, Faults } from '../../contract/contract.ts';
import { toFaults } from '../../contract/faults.ts';
import { pointerKeys, pointerSegment } from '../../contract/pointer.ts';
import { maskNamed } from '../mask.ts';
import type { Breach, Place } from './rule.ts';

/** @param contract judges the branches of a union that has no discriminator, to tell which was meant. */
export function schemaBreaches(contract: Contract, place: Place, errors: Faults): Breach[] {
  const breaches = withoutEchoes(narrowUnions(contract, errors)).map((error) => toBreach(place, error));
  const byText = new Map(breaches.map((breach) => [`${breach.pointer} ${breach.message}`, breach]));
  return [...byText.values()];
}

function toBreach(place: Place, error: ErrorObject): Breach {
  const [fault] = toFaults('body', [error]);
  const extra = extraField(error);
  const pointer =
    extra === undefined ? (fault?.pointer ?? error.instancePath) : `${error.instancePath}/${pointerSegment(extra)}`;
  const breach = {
    in: place,
    pointer,
    rule: `schema/${error.keyword}`,
    message: extra === undefined ? (fault?.message ?? '') : 'is not a field of this closed object',
  } as const;
  const value = valueAt(error);
  return value === undefined ? breach : { ...breach, value: maskNamed(pointerKeys(pointer), value) };
}

/** The name of a field that a closed object does not have. */
function extraField({ params }: ErrorObject): string | undefined {
  const name = params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof name === 'string' ? name : undefined;
}

/** Of what is missing nothing; of a field too many or a wrong tag that field; else what failed. */
function valueAt({ keyword, params, data }: ErrorObject): unknown {
  if (keyword === 'required') return undefined;
  const name = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['tag'];
  return typeof name === 'string' ? (data as Record<string, unknown>)[name] : data;
}

/**
 * The same fault told twice: `if` by the faults inside it; a field of a closed object that its own schema refused and
 * which therefore counts as none of the object's; the values that may stand somewhere, when the type is wrong already or
 * a narrower list says which.
 */
function withoutEchoes(errors: Faults): ErrorObject[] {
  const real = errors.filter(({ keyword }) => keyword !== 'unevaluatedProperties');
  return errors.filter((error) => {
    const { keyword, instancePath, params } = error;
    if (keyword === 'if') return false;
    if (keyword === 'unevaluatedProperties') {
      const field = `${instancePath}/${pointerSegment(String(params['unevaluatedProperty']))}`;
      return !real.some((other) => isAtOrBelow(other.instancePath, field));
    }
    const here = real.filter((other) => other !== error && other.instancePath === instancePath);
    if (!isChoice(error)) return true;
    return !here.some((other) => other.keyword === 'type' || (isChoice(other) && choices(other) < choices(error)));
  });
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'enum' || keyword === 'const';
}

function choices({ params }: ErrorObject): number {
  return (params['allowedValues'] as readonly unknown[] | undefined)?.length ?? 1;
}

/** Of a union without a discriminator every branch complains. Only the branch that fits best is heard. */
function narrowUnions(contract: Contract, errors: Faults): Faults {
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
