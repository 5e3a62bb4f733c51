import { entries, nameOf, schemas } from '../walk.js';

/** R31. Takes no options. */
export default function patternsArePortable(doc) {
  return [...schemas(doc)].flatMap(({ node, path }) => {
    const patterns = [
      ...(node.pattern === undefined ? [] : [[node.pattern, 'pattern']]),
      ...entries(node.patternProperties).map(([pattern]) => [pattern, 'patternProperties', pattern]),
    ];
    return patterns
      .filter(([pattern]) => /(?<!\\)(?:\\\\)*\\p\{/iu.test(pattern))
      .map(([, ...keys]) => ({
        message: `${nameOf(path)}: write the pattern without \\p{…}, which needs the u flag; a format can say the rest.`,
        path: [...path, ...keys],
      }));
  });
}
