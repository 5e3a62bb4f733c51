import { entries } from '../walk.js';

const word = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const parameter = /^\{[a-z][a-z0-9]*([A-Z][a-z0-9]*)*\}$/;

/** R23. `foreign`: segments that another standard spells. */
export default function pathsAreKebabCase(doc, options) {
  const foreign = options?.foreign ?? [];
  return entries(doc.paths).flatMap(([template]) => {
    const wrong = template
      .split('/')
      .slice(1)
      .filter((segment) => !word.test(segment) && !parameter.test(segment) && !foreign.includes(segment));
    const [first] = wrong;
    if (first === undefined) return [];
    const message =
      first === ''
        ? 'leave out the empty segment: no doubled slash, none at the end.'
        : `write the segment "${first}" in kebab-case, or as one {camelCase} parameter.`;
    return [{ message, path: ['paths', template] }];
  });
}
