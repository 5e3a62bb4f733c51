import { entries, isObject } from '../walk.js';

const isDecision = (value) => /^D\d{2,}$/.test(value);

/** R18. Takes no options. That the decision exists is checked by scripts/check/decisions.ts. */
export default function decisionsHaveNumbers(doc) {
  const faults = [];
  const walk = (node, path) => {
    for (const [key, child] of Array.isArray(node) ? node.entries() : entries(node)) {
      const here = [...path, key];
      if (key === 'x-basis') faults.push(...unreadable(child, here));
      else if (key !== 'x-decision') walk(child, here);
      else if ([child].flat().length === 0 || ![child].flat().every(isDecision)) {
        faults.push({ message: 'write the decision as its number, D07, or as a list of numbers.', path: here });
      }
    }
  };
  walk(doc, []);
  return faults;
}

/** What an `x-basis` says that nobody could read: it is `given`, decisions, or that by keywords, by names below them. */
function unreadable(said, path, depth = 0) {
  const decisions = [said].flat();
  if (said === 'given' || (decisions.length > 0 && decisions.every(isDecision))) return [];
  // The form that is given of a text stands beside what the rest of its form rests on.
  if (isObject(said) && depth === 1 && Object.keys(said).sort().join() === 'given,otherwise') {
    return [
      ...(isPattern(said.given) ? [] : [fault([...path, 'given'])]),
      ...unreadable(said.otherwise, [...path, 'otherwise'], 2),
    ];
  }
  if (!isObject(said) || depth > 1 || entries(said).length === 0) return [fault(path)];
  return entries(said).flatMap(([key, value]) => unreadable(value, [...path, key], depth + 1));
}

const fault = (path) => ({
  message: 'write the basis as given, as the number of a decision, D07, or as a list of numbers.',
  path,
});

function isPattern(text) {
  try {
    return typeof text === 'string' && new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
