import { elements, nameOf, schemas } from '../walk.js';

/** R22. Takes no options. In a change, null takes something away; elsewhere what is not there is left out. */
export default function nullIsMeant(doc) {
  return [...schemas(doc)].flatMap(({ node, path, property }) => {
    const fault = (message, ...keys) => [{ message: `${nameOf(path)}: ${message}`, path: [...path, ...keys] }];
    if (node.nullable !== undefined) return fault("write type: [T, 'null']; OpenAPI 3.1 has no nullable.", 'nullable');
    const isNullable =
      [node.type].flat().includes('null') || node.const === null || elements(node.enum).some(([, one]) => one === null);
    if (!isNullable) return [];
    const isChange = path[0] === 'components' && /Update(Request)?$/.test(String(path[2]));
    if (!isChange || property === undefined) {
      return fault('leave the field out instead of null; only a field of an …Update or …UpdateRequest may be null.');
    }
    return /\bnull\b/i.test(node.description ?? '') ? [] : fault('say in the description what null does.');
  });
}
