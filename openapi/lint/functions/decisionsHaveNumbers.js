import { entries } from '../walk.js';

/** R18. Takes no options. That the decision exists is checked by scripts/check/decisions.ts. */
export default function decisionsHaveNumbers(doc) {
  const faults = [];
  const walk = (node, path) => {
    for (const [key, child] of Array.isArray(node) ? node.entries() : entries(node)) {
      const here = [...path, key];
      if (key !== 'x-decision') walk(child, here);
      else if ([child].flat().length === 0 || ![child].flat().every((value) => /^D\d{2,}$/.test(value))) {
        faults.push({ message: 'write the decision as its number, D07, or as a list of numbers.', path: here });
      }
    }
  };
  walk(doc, []);
  return faults;
}
