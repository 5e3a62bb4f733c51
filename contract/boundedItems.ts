import { _, type Ajv2020, type KeywordCxt, Name } from 'ajv/dist/2020.js';
import { Type } from 'ajv/dist/compile/util.js';
import { maxErrors } from './bounds.ts';

/** What Ajv calls the list of errors in the functions that it writes. */
const errors = new Name('vErrors');

/**
 * Replaces Ajv's `items`, which goes on to the last item however many were wrong. Ajv copies all errors so far for each
 * item that a function of its own checks, so the time would grow with the square of the wrong items.
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
