/**
 * Lists everything in the contract that a finding can be about, with its basis. The `--basis` list and the house rule
 * use it.
 */
import type { Json } from '../document.ts';
import { pointerSegment } from '../pointer.ts';
import { type Basis, isObject, marksOf } from './marks.ts';
import { basisAt } from './resolve.ts';
import { headerSteps, operationSteps, parametersOf, responseSteps, type Step, stepBelow } from './steps.ts';

export interface Fact {
  /**
   * The place: `parameter limit`, `reply 201`; inside a type, the path of the field, `source.currency`; empty for the
   * whole.
   */
  readonly of: string;
  /** `self`, a keyword of the schema or a rule. */
  readonly what: string;
  /** The required field, the declared statuses, and so on. */
  readonly detail?: string;
  /** Undefined if the contract doesn't say it. */
  readonly basis: Basis | undefined;
  /** Its place in the bundle (RFC 6901). */
  readonly pointer: string;
}

export interface Subject {
  readonly kind: 'contract' | 'operation' | 'type';
  /** The operationId, or the name of the schema. */
  readonly name: string;
  /** Method and path of an operation. */
  readonly title: string;
  readonly facts: readonly Fact[];
  /** The types that it refers to, and where. */
  readonly uses: readonly { readonly of: string; readonly type: string }[];
}

const keywords = [
  ...['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'discriminator'],
];
const closing = ['additionalProperties', 'unevaluatedProperties'];
const methods = ['get', 'put', 'post', 'delete', 'patch'];
/** The keywords in the document's `x-basis` about things that have no other place. */
const ofOperations = new Set(['successes', 'refusals', 'missing-body']);

/** The contract as a whole, then its operations, then its types, in the order of the document. */
export function listSubjects(document: Json): Subject[] {
  const components = ((document['components'] as Json | undefined)?.['schemas'] ?? {}) as Json;
  const operations = Object.entries((document['paths'] ?? {}) as Json).flatMap(([path, item]) =>
    methods
      .filter((method) => isObject((item as Json)[method]))
      .map((method) => operationSubject(document, path, method)),
  );
  return [wholeSubject(document), ...operations, ...Object.keys(components).map((name) => typeSubject(document, name))];
}

function wholeSubject(document: Json): Subject {
  const { self: _none, ...said } = marksOf(document);
  const rules = Object.keys(said).filter((key) => key.includes('-') && !ofOperations.has(key));
  const facts = rules.map((what) => ({ of: '', what, basis: basisAt(document, [], what), pointer: '/x-basis' }));
  return { kind: 'contract', name: 'every operation', title: '', facts, uses: [] };
}

/** Collects facts and the types that they refer to. */
class Collector {
  readonly facts: Fact[] = [];
  readonly uses: { of: string; type: string }[] = [];
  readonly document: Json;

  constructor(document: Json) {
    this.document = document;
  }

  add(steps: readonly Step[], pointer: string, fact: Omit<Fact, 'basis' | 'pointer'>): void {
    const name = fact.what === 'required' ? fact.detail : undefined;
    this.facts.push({ ...fact, basis: basisAt(this.document, steps, fact.what, name), pointer });
  }

  /** Adds the facts of an inline schema. A schema behind a reference is a separate type. */
  schema(steps: readonly Step[], pointer: string, of: string): void {
    const { node, depth } = steps.at(-1) as Step;
    this.keywords(steps, pointer, of);
    if (typeof node['$ref'] === 'string') this.uses.push({ of, type: node['$ref'].split('/').at(-1) as string });
    const into = (child: unknown, key: string, deeper: 0 | 1, name: string): void => {
      if (!isObject(child)) return;
      const inner = [...steps, { node: child, depth: depth + deeper, isOwn: false }];
      const at = `${pointer}/${key}`;
      if (key.startsWith('properties/')) this.add(inner, at, { of: name, what: 'self' });
      this.schema(inner, at, name);
    };
    const below = (name: string): string => (of === '' ? name : `${of}.${name}`);
    for (const [name, child] of Object.entries((node['properties'] ?? {}) as Json)) {
      into(child, `properties/${pointerSegment(name)}`, 1, below(name));
    }
    into(node['items'], 'items', 1, `${of}[]`);
    into(node['additionalProperties'], 'additionalProperties', 1, below('*'));
    for (const list of ['allOf', 'oneOf', 'anyOf']) {
      for (const [index, member] of ((node[list] ?? []) as unknown[]).entries())
        into(member, `${list}/${index}`, 0, of);
    }
  }

  private keywords(steps: readonly Step[], pointer: string, of: string): void {
    const { node } = steps.at(-1) as Step;
    const said = marksOf(node);
    // Marks beside a reference apply to the keywords behind the reference.
    const has = (key: string): boolean => Object.hasOwn(node, key) || (Object.hasOwn(node, '$ref') && key in said);
    if ('type' in said) this.add(steps, pointer, { of, what: 'type' });
    // A tag is a const and an enum with one value. That is one fact.
    const isTold = (key: string): boolean => key === 'enum' && Object.hasOwn(node, 'const');
    for (const what of keywords.filter((key) => has(key) && !isTold(key))) this.add(steps, pointer, { of, what });
    for (const what of closing.filter((key) => node[key] === false)) this.add(steps, pointer, { of, what });
    for (const detail of (node['required'] ?? []) as string[])
      this.add(steps, pointer, { of, what: 'required', detail });
  }
}

function typeSubject(document: Json, name: string): Subject {
  const found = new Collector(document);
  const node = ((document['components'] as Json)['schemas'] as Json)[name] as Json;
  const pointer = `/components/schemas/${pointerSegment(name)}`;
  const steps = [{ node, depth: 0, isOwn: true }];
  found.add(steps, pointer, { of: '', what: 'self' });
  found.schema(steps, pointer, '');
  // A type that doesn't state its own basis is listed once.
  const facts = found.facts[0]?.basis === undefined ? found.facts.slice(0, 1) : found.facts;
  return { kind: 'type', name, title: '', facts, uses: found.uses };
}

function operationSubject(document: Json, path: string, method: string): Subject {
  const found = new Collector(document);
  const steps = operationSteps(document, path, method);
  const { node } = steps.at(-1) as Step;
  const at = `/paths/${pointerSegment(path)}/${method}`;
  found.add(steps, at, { of: '', what: 'self' });
  for (const [index, parameter] of parametersOf(document, steps).entries()) {
    addParameter(found, parameter, `${at}/parameters/${index}`);
  }
  addBody(found, steps, at);
  const statuses = Object.keys((node['responses'] ?? {}) as Json);
  const ofClass = (isRefusal: boolean): string =>
    statuses.filter((status) => Number(status) >= 400 === isRefusal).join(', ');
  found.add(steps, at, { of: '', what: 'successes', detail: ofClass(false) });
  found.add(steps, at, { of: '', what: 'refusals', detail: ofClass(true) });
  for (const status of statuses) addReply(found, steps, status, at);
  const title = `${method.toUpperCase()} ${path}`;
  return { kind: 'operation', name: String(node['operationId']), title, facts: found.facts, uses: found.uses };
}

function addParameter(
  found: Collector,
  { name, steps }: ReturnType<typeof parametersOf>[number],
  pointer: string,
): void {
  const { node } = steps.at(-1) as Step;
  const of = `${node['in']} ${name}`;
  found.add(steps, pointer, { of, what: 'self' });
  // A path without one of its parameters is another path.
  if (node['required'] === true && node['in'] !== 'path') found.add(steps, pointer, { of, what: 'required' });
  addSchema(found, steps, pointer, of);
}

/** @param steps to the owner of the schema; references to a type are noted, and not followed. */
function addSchema(found: Collector, steps: readonly Step[], pointer: string, of: string, ...keys: string[]): void {
  const inner = stepBelow(found.document, steps, ...keys, 'schema');
  const written = inner[steps.length];
  if (written !== undefined)
    found.schema([...steps, written], [pointer, ...keys.map(pointerSegment), 'schema'].join('/'), of);
}

const media = ['content', 'application/json'];

function addBody(found: Collector, operation: readonly Step[], at: string): void {
  const steps = stepBelow(found.document, operation, 'requestBody');
  if (steps.length === operation.length) return;
  const pointer = `${at}/requestBody`;
  found.add(steps, pointer, { of: 'body', what: 'self' });
  if (steps.at(-1)?.node['required'] === true) found.add(steps, pointer, { of: 'body', what: 'missing-body' });
  addSchema(found, steps, pointer, 'body', ...media);
}

function addReply(found: Collector, operation: readonly Step[], status: string, at: string): void {
  const steps = responseSteps(found.document, operation, status);
  const pointer = `${at}/responses/${status}`;
  const of = `reply ${status}`;
  found.add(steps, pointer, { of, what: 'self' });
  for (const name of Object.keys((steps.at(-1)?.node['headers'] ?? {}) as Json)) {
    const header = headerSteps(found.document, operation, status, name) ?? steps;
    const below = `${pointer}/headers/${name}`;
    found.add(header, below, { of: `${of} ${name}`, what: 'self' });
    if (header.at(-1)?.node['required'] === true) found.add(header, below, { of: `${of} ${name}`, what: 'required' });
    addSchema(found, header, below, `${of} ${name}`);
  }
  // A refusal narrows its body to its status and its codes. The operation has already listed those.
  if (Number(status) < 400) addSchema(found, steps, pointer, of, ...media);
}
