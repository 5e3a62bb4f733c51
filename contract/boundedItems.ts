import { _, type Ajv2020, type KeywordCxt, Name } from 'ajv/dist/2020.js';
import { Type } from 'ajv/dist/compile/util.js';
import { maxErrors } from './bounds.ts';

/** The name that Ajv's generated functions use for the list of errors. */
const errors = new Name('vErrors');

/**
 * Replaces Ajv's `items`, which checks every item even if many are wrong. Ajv copies all errors so far for each item
 * that a separate function checks. So the time would grow with the square of the wrong items.
 */
export function addBoundedItems(ajv: Ajv2020): void {
  ajv.removeKeyword('items');
  ajv.addKeyword({
    keyword: 'items',
    type: 'array',
    schemaType: ['object', 'boolean'],
    before: 'uniqueItems',
    error: { message: 'must have valid items' },
    code(context: KeywordCxt) {
      const { gen, data, it, parentSchema } = context;
      it.items = true;
      const valid = gen.name('valid');
      const areValid = gen.let('valid', true);
      const first = Array.isArray(parentSchema['prefixItems']) ? parentSchema['prefixItems'].length : 0;
      gen.forRange('i', first, _`${data}.length`, (index) => {
        context.subschema({ keyword: 'items', dataProp: index, dataPropType: Type.Num }, valid);
        gen.if(_`!${valid}`, () => {
          gen.assign(areValid, false);
          gen.if(_`${errors} !== null && ${errors}.length >= ${maxErrors}`, () => gen.break());
        });
      });
      context.ok(areValid);
    },
  });
}
