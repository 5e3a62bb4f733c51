import { operations } from '../walk.js';

/** R01. `verbs`: the words an operationId may begin with. */
export default function operationIdsAreVerbs(doc, { verbs }) {
  const form = new RegExp(`^(${verbs.join('|')})([A-Z][a-z0-9]*)+$`);
  return [...operations(doc)]
    .filter(({ node }) => !form.test(node.operationId ?? ''))
    .map(({ node, path }) => ({
      message: `name the operation verb + noun in camelCase (it is "${node.operationId}"); verbs: ${verbs.join(', ')}.`,
      path: node.operationId === undefined ? path : [...path, 'operationId'],
    }));
}
