import { entries, operations } from '../walk.js';

/** R10. Takes no options. */
export default function responsesAreExplicit(doc) {
  return [...operations(doc)].flatMap(({ node, path }) =>
    entries(node.responses)
      .filter(([status]) => !/^[1-5]\d\d$/.test(status))
      .map(([status]) => ({
        message: `declare each status by its number instead of "${status}", so that an undocumented one stays visible.`,
        path: [...path, 'responses', status],
      })),
  );
}
