import { below, entries, follow, nameOf, operations, responsesOf } from '../walk.js';

/** R21. Takes no options. Refusals are R09's: they narrow `ApiError` in place. */
export default function bodiesAreComponents(doc) {
  const faults = new Map();
  const check = (owner, what) => {
    for (const [type, media] of entries(owner.node?.content)) {
      if (/^#\/components\/schemas\/[^/]+$/.test(media?.schema?.$ref ?? '')) continue;
      const { path } = below(owner, 'content', type);
      const message = `${nameOf(path)}: make the ${what} a schema of its own, and refer to it here with $ref.`;
      faults.set(path.join(' '), { message, path });
    }
  };
  for (const operation of operations(doc)) {
    check(follow(doc, below(operation, 'requestBody')), 'request body');
    for (const response of responsesOf(doc, operation)) {
      if (/^2/.test(response.status)) check(response, 'reply');
    }
  }
  return [...faults.values()];
}
