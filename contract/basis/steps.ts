/** Walks from an operation to a part of the contract, step by step, so that each step can state its basis. */
import type { Json } from '../document.ts';
import { pointTo } from '../pointer.ts';
import { type Basis, isObject, marksOf, toBasis } from './marks.ts';

/** A place in the document on the way from an operation to a part of the contract. */
export interface Step {
  readonly node: Json;
  /**
   * The number of the value's keys that lead here. A `$ref` and a member of `allOf` are as deep as the schema around
   * them.
   */
  readonly depth: number;
  /** Whether it states its own basis and inherits nothing from the step before. */
  readonly isOwn: boolean;
  /** Its basis if it doesn't state one. */
  readonly otherwise?: Basis | undefined;
}

/** The step for an operation. */
export function operationSteps(document: Json, path: string, method: string): Step[] {
  return stepBelow(document, [], 'paths', path, method.toLowerCase());
}

/** Each parameter of an operation by its name. */
export function parametersOf(document: Json, operation: readonly Step[]): { name: string; steps: Step[] }[] {
  const node = operation.at(-1)?.node ?? {};
  const list = (node['parameters'] ?? []) as unknown[];
  const here = marksOf(node)['parameters'];
  return list.map((_parameter, index) => {
    const steps = stepBelow(document, operation, 'parameters', String(index));
    const name = String(steps.at(-1)?.node['name']);
    // A shared parameter can't state its basis for one operation. The operation states it.
    const said = isObject(here) ? here[name] : undefined;
    if (said === undefined) return { name, steps };
    const used = { node: { 'x-basis': said }, depth: 0, isOwn: true };
    return { name, steps: [...operation, used, ...steps.slice(operation.length)] };
  });
}

/** The steps to a reply of an operation. A refusal has its own default decision unless it states another. */
export function responseSteps(document: Json, operation: readonly Step[], status: string): Step[] {
  const own = operation.at(-1)?.node['responses'] as Json | undefined;
  const isDeclared = own !== undefined && Object.hasOwn(own, status);
  const steps = isDeclared
    ? stepBelow(document, operation, 'responses', status)
    : [...operation, ...stepBelow(document, [], 'x-transport-responses', status)];
  if (Number(status) < 400) return steps;
  const refusals = toBasis((document['x-basis'] as Json | undefined)?.['refusals']);
  return steps.map((step, index) => {
    if (index < operation.length) return step;
    return { ...step, isOwn: true, otherwise: index === steps.length - 1 ? refusals : undefined };
  });
}

/** The steps to a reply's header. It doesn't inherit the basis of the reply, which is that of a refusal's body. */
export function headerSteps(
  document: Json,
  operation: readonly Step[],
  status: string,
  name: string,
): Step[] | undefined {
  const reply = responseSteps(document, operation, status);
  const headers = reply.at(-1)?.node['headers'];
  const declaredName = Object.keys(isObject(headers) ? headers : {}).find(
    (one) => one.toLowerCase() === name.toLowerCase(),
  );
  if (declaredName === undefined) return undefined;
  return [...operation, ...stepBelow(document, reply, 'headers', declaredName).slice(reply.length)];
}

/** The steps to the place that the keys lead to, and through its reference. */
export function stepBelow(document: Json, steps: readonly Step[], ...keys: readonly string[]): Step[] {
  const parent = steps.at(-1);
  const child = keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], parent?.node ?? document);
  if (!isObject(child)) return [...steps];
  return through(document, [...steps, { node: child, depth: parent?.depth ?? 0, isOwn: parent === undefined }]);
}

export function through(document: Json, steps: Step[]): Step[] {
  const { node, depth } = steps.at(-1) as Step;
  if (typeof node['$ref'] !== 'string') return steps;
  const target = pointTo(document, node['$ref']);
  return isObject(target) ? through(document, [...steps, { node: target, depth, isOwn: true }]) : steps;
}
