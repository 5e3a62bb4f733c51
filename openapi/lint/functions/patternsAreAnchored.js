import { entries, nameOf, schemas } from '../walk.js';

/** R11. Takes no options. */
export default function patternsAreAnchored(doc) {
  return [...schemas(doc)].flatMap((schema) => {
    const patterns = [
      ...(schema.node.pattern === undefined ? [] : [[schema.node.pattern, 'pattern']]),
      ...entries(schema.node.patternProperties).map(([pattern]) => [pattern, 'patternProperties', pattern]),
    ];
    return patterns.flatMap(([pattern, ...keys]) => {
      const fix = faultOf(pattern);
      if (fix === undefined) return [];
      return [{ message: `${nameOf(schema.path)}: ${fix}`, path: [...schema.path, ...keys] }];
    });
  });
}

/** What to change about a pattern; undefined if it is good. */
function faultOf(pattern) {
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'make the pattern a regular expression that compiles with the u flag, as validators compile it.';
  }
  const bare = pattern.replaceAll(/\\./gu, 'x').replaceAll(/\[[^\]]*\]/gu, 'x');
  if (/\(\?<?[=!]/u.test(bare)) return 'write the pattern without lookaround: generators cannot produce values for it.';
  if (!bare.startsWith('^') || !bare.endsWith('$') || splitsAtTop(bare)) {
    return 'anchor the whole pattern with ^ and $; put alternatives in a group.';
  }
  return undefined;
}

/** True if the pattern, without escapes and classes, has an alternative outside any group: `^a|b$` anchors neither. */
function splitsAtTop(bare) {
  let depth = 0;
  for (const character of bare) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) return true;
  }
  return false;
}
