/**
 * What a fault of an exchange rests on. Nothing is prepared: a basis is worked out when somebody asks for one, and a fault is
 * rare.
 */
import type { Operation } from '../../generated/operations.ts';
import type { Json } from '../document.ts';
import { pointerKeys, pointTo } from '../pointer.ts';
import { type Basis, isObject, listOf } from './marks.ts';
import { basisAt } from './resolve.ts';
import { headerSteps, operationSteps, parametersOf, responseSteps, type Step, stepBelow, through } from './steps.ts';

/** A fault of an exchange, as far as its basis depends on it. */
export interface BasisQuestion {
  /** Undefined where the request means none. */
  readonly operation: Operation | undefined;
  readonly status: number;
  /** `request.body`, `response.headers` and so on. */
  readonly in: string;
  readonly pointer: string;
  /** `schema/<keyword>`, or the name of a rule. */
  readonly rule: string;
  readonly value?: unknown;
  /** The whole body, where the fault is in one: its tags tell which members of its unions were meant. */
  body(): unknown;
}

/** Answers what a fault rests on. What breaks a part that is given breaks what is given. */
export function createBasis(document: Json): (question: BasisQuestion) => Basis {
  return (question) => {
    const { operation, rule, pointer, value } = question;
    const named = /^schema\/(?:required|additionalProperties|unevaluatedProperties|discriminator)$/.test(rule);
    const keys = pointerKeys(pointer);
    const name = named ? keys.pop() : undefined;
    const key = rule.replace(/^schema\//, '');
    // A general rule of the interface holds for operations that it doesn't name, too.
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

/** Where in a reply's body a value is. */
export type ReplyPlace = Pick<BasisQuestion, 'operation' | 'status' | 'pointer' | 'body'>;

/** Answers whether the contract lists the words that a place of a reply's body takes. */
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
  /** Whether the first key of the pointer names the parameter or header, and leads into no value. */
  readonly isNamed?: boolean;
  /** Whether it is about the whole of the last step. */
  readonly isWhole?: boolean;
  /** What is asked about, where it isn't the rule. */
  readonly key?: string;
}

/** The steps to the schema that a fault is found with, or to what else it is about. */
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
      // A body is what the reply is about; only what a request lacks is a matter of its own.
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

/** Every way from a schema along the keys of a value, to all the schemas that the value there must satisfy. */
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

/** The member of a union that the tag of the value names; all of them where none does. */
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

/** Whether it can be this schema that a fault is found with. */
function breaks(node: Json, key: string, name: string | undefined, value: unknown): boolean {
  if (key === 'required') return listOf(node['required']).includes(name);
  if (key === 'enum') return Array.isArray(node['enum']) && !node['enum'].includes(value);
  return Object.hasOwn(node, key);
}
