/**
 * Finds the basis of a fault in an exchange. Nothing is prepared: faults are rare, so a basis is computed when it is
 * asked for.
 */
import type { Operation } from '../../generated/operations.ts';
import type { Json } from '../document.ts';
import { pointerKeys, pointTo } from '../pointer.ts';
import { type Basis, isObject, listOf } from './marks.ts';
import { basisAt } from './resolve.ts';
import { headerSteps, operationSteps, parametersOf, responseSteps, type Step, stepBelow, through } from './steps.ts';

/** The parts of a fault that decide its basis. */
export interface BasisQuestion {
  /** Undefined if the request fits no operation. */
  readonly operation: Operation | undefined;
  readonly status: number;
  /** `request.body`, `response.headers` and so on. */
  readonly in: string;
  readonly pointer: string;
  /** `schema/<keyword>`, or the name of a rule. */
  readonly rule: string;
  readonly value?: unknown;
  /** The whole body, if the fault is in one. Its tags tell which members of its unions were meant. */
  body(): unknown;
}

/**
 * Returns the basis of a fault. If a fault breaks several schemas and one of them is given, the fault counts as given.
 */
export function createBasis(document: Json): (question: BasisQuestion) => Basis {
  return (question) => {
    const { operation, rule, pointer, value } = question;
    const named = /^schema\/(?:required|additionalProperties|unevaluatedProperties|discriminator)$/.test(rule);
    const keys = pointerKeys(pointer);
    const name = named ? keys.pop() : undefined;
    const key = rule.replace(/^schema\//, '');
    // A general rule of the interface also holds for operations that it doesn't name.
    const general = rule.startsWith('schema/') ? undefined : basisAt(document, [], key, undefined, value);
    if (operation === undefined || general === 'given') return general ?? 'given';
    const start = startOf(document, operation, question, name ?? keys[0]);
    if (!rule.startsWith('schema/') || start.isWhole) {
      return basisAt(document, start.steps, start.key ?? key, undefined, value) ?? 'given';
    }
    const found = stepsTo(document, start.steps, start.isNamed ? keys.slice(1) : keys, question.body())
      .filter((steps) => breaks(steps.at(-1)?.node ?? {}, key, name, value))
      .map((steps) => basisAt(document, steps, key, name, value) ?? 'given');
    return found.find((basis) => basis === 'given') ?? found[0] ?? basisAt(document, start.steps, key) ?? 'given';
  };
}

/** The place of a value in a reply's body. */
export type ReplyPlace = Pick<BasisQuestion, 'operation' | 'status' | 'pointer' | 'body'>;

/** Returns whether the contract lists the allowed values at a place in a reply's body. */
export function createListed(document: Json): (place: ReplyPlace) => boolean {
  return (place) => {
    if (place.operation === undefined) return false;
    const { steps } = startOf(document, place.operation, { ...place, in: 'response.body', rule: 'schema/enum' });
    return stepsTo(document, steps, pointerKeys(place.pointer), place.body()).some((found) => {
      const { node } = found.at(-1) ?? { node: {} };
      return Object.hasOwn(node, 'enum') || Object.hasOwn(node, 'const');
    });
  };
}

interface Start {
  readonly steps: readonly Step[];
  /** Whether the first key of the pointer is the name of the parameter or header, and not a key of its value. */
  readonly isNamed?: boolean;
  /** Whether the fault is about the whole of the last step. */
  readonly isWhole?: boolean;
  /** The keyword to look up, if it isn't the rule itself. */
  readonly key?: string;
}

/** The steps to the schema that found a fault, or to the part that the fault is about. */
function startOf(document: Json, operation: Operation, question: BasisQuestion, name = ''): Start {
  const steps = operationSteps(document, operation.path, operation.method);
  const reply = String(question.status);
  switch (question.in) {
    case 'request.body': {
      const body = stepBelow(document, steps, 'requestBody');
      if (!question.rule.startsWith('schema/')) return { steps: body };
      return { steps: stepBelow(document, body, 'content', 'application/json', 'schema') };
    }
    case 'request.path':
    case 'request.query':
    case 'request.headers': {
      const parameter = parametersOf(document, steps).find(({ name: own }) => own.toLowerCase() === name.toLowerCase());
      if (parameter === undefined) return { steps };
      const isWhole = question.rule === 'schema/required' && pointerKeys(question.pointer).length === 1;
      if (isWhole) return { steps: parameter.steps, isWhole };
      return { steps: stepBelow(document, parameter.steps, 'schema'), isNamed: true };
    }
    case 'response.status':
      return { steps, key: question.status >= 400 ? 'refusals' : 'successes' };
    case 'response.headers': {
      const header = headerSteps(document, steps, reply, name);
      if (header === undefined) return { steps };
      if (question.rule === 'schema/required') return { steps: header, isWhole: true };
      return { steps: stepBelow(document, header, 'schema'), isNamed: true };
    }
    case 'response.body': {
      const response = responseSteps(document, steps, reply);
      // A missing or unexpected body has the basis of the reply itself. A missing request body has its own basis.
      if (!question.rule.startsWith('schema/')) return { steps: response, key: keyOfReply(question.rule) };
      return { steps: stepBelow(document, response, 'content', 'application/json', 'schema') };
    }
    default:
      return { steps };
  }
}

function keyOfReply(rule: string): string {
  return rule === 'missing-body' || rule === 'unexpected-body' ? 'self' : rule;
}

/** Every way from a schema along the keys of a value to the schemas that the inner value must satisfy. */
function stepsTo(document: Json, steps: readonly Step[], keys: readonly string[], value: unknown): Step[][] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  const { node, depth } = last;
  const [key, ...rest] = keys;
  const into = (child: unknown, deeper: 0 | 1, further: readonly string[], inner: unknown): Step[][] => {
    if (!isObject(child)) return [];
    return stepsTo(
      document,
      through(document, [...steps, { node: child, depth: depth + deeper, isOwn: false }]),
      further,
      inner,
    );
  };
  const parts = [...listOf(node['allOf']), ...membersMeant(document, node, value)];
  const alongside = parts.flatMap((part) => into(part, 0, keys, value));
  if (key === undefined) return [[...steps], ...alongside];
  const inner = isObject(value) || Array.isArray(value) ? (value as Json)[key] : undefined;
  const own = (node['properties'] as Json | undefined)?.[key] ?? node['items'] ?? node['additionalProperties'];
  return [...into(own, 1, rest, inner), ...alongside];
}

/** The member of a union that the value's tag names. If no tag fits, all members. */
function membersMeant(document: Json, node: Json, value: unknown): unknown[] {
  const members = [...listOf(node['oneOf']), ...listOf(node['anyOf'])];
  const tag = (node['discriminator'] as Json | undefined)?.['propertyName'];
  if (typeof tag !== 'string' || !isObject(value)) return members;
  const meant = members.filter((member) => {
    const schema = isObject(member) && typeof member['$ref'] === 'string' ? pointTo(document, member['$ref']) : member;
    const stated = isObject(schema) ? (schema['properties'] as Json | undefined)?.[tag] : undefined;
    return isObject(stated) && stated['const'] === value[tag];
  });
  return meant.length === 0 ? members : meant;
}

/** Whether this schema can be the one that found a fault. */
function breaks(node: Json, key: string, name: string | undefined, value: unknown): boolean {
  if (key === 'required') return listOf(node['required']).includes(name);
  if (key === 'enum') return Array.isArray(node['enum']) && !node['enum'].includes(value);
  return Object.hasOwn(node, key);
}
