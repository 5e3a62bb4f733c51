import { carriers, entries } from '../walk.js';

/** R32. Takes no options. That the values are those of the story is for the check of R26 to say. */
export default function parametersHaveExamples(doc) {
  return [...carriers(doc)]
    .filter(({ node, kind }) => kind === 'parameter' && entries(node.examples).length === 0)
    .map(({ node, path }) => ({ message: `give the parameter ${node.name} a named example of the story.`, path }));
}
