import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { addBoundedItems } from './boundedItems.ts';
import { addContractFormats } from './formats.ts';
import { addUniqueItems } from './uniqueItems.ts';

/**
 * Creates a validator of JSON Schema 2020-12 that knows our formats and reports everything that {@link toFaults} needs.
 */
export function createValidator(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, ...options });
  addContractFormats(ajv);
  addUniqueItems(ajv);
  addBoundedItems(ajv);
  return ajv;
}
