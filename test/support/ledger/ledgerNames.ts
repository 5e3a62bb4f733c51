/** Reads the names of the contract that the suite's tests must show, and where to find them in requests and replies. */
import {
  type ContractDocument,
  httpMethods,
  type Operation,
  resolveRef,
  type Schema,
  type SchemaObject,
  schemaName,
} from '../../../scripts/lib/contract.ts';

/** The names to find in the values of a schema. Names that were seen are removed, so that the search gets faster. */
export interface Outline {
  fields: Field[];
  /** Enum values that have not been seen, with their names in the ledger. */
  readonly values: Map<unknown, string>;
  items: Outline | undefined;
  /** Outlines that also apply (`allOf`). */
  parts: readonly Outline[];
  /** Selects the outlines of the union's members that fit a value. */
  readonly members: readonly Outline[];
  choose: ((value: Readonly<Record<string, unknown>>) => Outline | undefined) | undefined;
  isDone: boolean;
}

export interface Field {
  readonly name: string;
  /** The name in the ledger for "a reply has it" or "a request that succeeded has it". */
  readonly key: string;
  isSeen: boolean;
  /**
   * The name in the ledger for "the sent value came back". Absent in replies, and for objects whose inner properties
   * come back.
   */
  readonly answer?: Answerable;
  readonly outline: Outline;
}

/** A part of a request that must come back or change a reply. */
export interface Answerable {
  readonly key: string;
  /** Whether any reply of the contract has a property with this name. */
  readonly canComeBack: boolean;
  isSeen: boolean;
}

/** The inputs of an operation. Parameters are properties of their place (path, query, header). */
export interface RequestOutline {
  readonly path: Outline;
  readonly query: Outline;
  readonly headers: Outline;
  readonly body: Outline | undefined;
  /** The query parameters. Each must change a reply. */
  readonly filters: readonly Filter[];
}

export interface Filter {
  readonly name: string;
  readonly answer: Answerable;
}

/** A header that is declared for a reply. */
export interface HeaderName {
  readonly name: string;
  readonly key: string;
}

export interface LedgerNames {
  request(operationId: string): RequestOutline | undefined;
  reply(operationId: string, status: number): Outline | undefined;
  headers(operationId: string, status: number): readonly HeaderName[];
  /** Every name, in the contract's order. */
  all(): readonly string[];
}

/**
 * Reads the names of a contract: the properties of every reply schema, under the schema's name; the properties and
 * parameters that each operation takes; enum values in requests and replies; reply headers. Error codes aren't
 * included, because the ledger counts them by operation. Properties of an unnamed object are listed under the property
 * that holds it.
 *
 * Each call keeps its own record of what was seen.
 */
export function readLedgerNames(contract: ContractDocument): LedgerNames {
  const reader = new Reader(contract);
  const all = once(() => reader.all());
  return {
    request: (operationId) => reader.request(operationId),
    reply: (operationId, status) => reader.reply(operationId, status),
    headers: (operationId, status) => reader.headers(operationId, status),
    all,
  };
}

/** The context of an outline: the prefixes of its names. */
interface Role {
  /** `createQuote` or `replies`. A component has one outline for each. */
  readonly id: string;
  readonly has: string;
  readonly values: string;
  /** For requests only. */
  readonly uses?: string;
}

const replies: Role = { id: 'replies', has: 'replies have', values: 'replies have' };

class Reader {
  readonly #contract: ContractDocument;
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #outlines = new Map<string, Outline>();
  readonly #requests = new Map<string, RequestOutline>();
  readonly #headers = new Map<string, readonly HeaderName[]>();
  readonly #names = new Set<string>();
  readonly #replyFields = new Set<string>();
  #hasReplies = false;

  constructor(contract: ContractDocument) {
    this.#contract = contract;
    this.#operations = new Map(
      Object.values(contract.paths).flatMap((item) =>
        httpMethods.flatMap((method) => {
          const operation = item[method] as Operation | undefined;
          return operation === undefined ? [] : [[operation.operationId, operation] as const];
        }),
      ),
    );
  }

  all(): readonly string[] {
    this.#readReplies();
    for (const [id, { responses }] of this.#operations) {
      this.request(id);
      for (const status of Object.keys(responses)) this.headers(id, Number(status));
    }
    return [...this.#names];
  }

  request(id: string): RequestOutline | undefined {
    const operation = this.#operations.get(id);
    if (operation === undefined) return undefined;
    let found = this.#requests.get(id);
    if (found === undefined) {
      this.#readReplies();
      found = this.#makeRequest(id, operation);
      this.#requests.set(id, found);
    }
    return found;
  }

  reply(id: string, status: number): Outline | undefined {
    // All errors have the same shape, including those that belong to no operation.
    if (status >= 400) return this.#outlineOf({ $ref: '#/components/schemas/ApiError' }, 'ApiError', replies);
    const declared = this.#operations.get(id)?.responses[status];
    if (declared === undefined) return undefined;
    const schema = resolveRef(this.#contract, declared).content?.['application/json']?.schema;
    return schema === undefined ? undefined : this.#outlineOf(schema, `${id} ${status}`, replies);
  }

  headers(id: string, status: number): readonly HeaderName[] {
    const place = `${id} ${status}`;
    let found = this.#headers.get(place);
    if (found === undefined) {
      found = this.#makeHeaders(id, status);
      this.#headers.set(place, found);
    }
    return found;
  }

  #makeHeaders(id: string, status: number): HeaderName[] {
    const declared = this.#operations.get(id)?.responses[status];
    if (declared === undefined) return [];
    const component = '$ref' in declared ? declared.$ref.split('/').at(-1) : undefined;
    return Object.keys(resolveRef(this.#contract, declared).headers ?? {}).map((name) => {
      const key = `${component ?? `${id} ${status}`} has the header ${name}`;
      this.#names.add(key);
      return { name, key };
    });
  }

  /** Runs first, because the requests need to know what can come back. */
  #readReplies(): void {
    if (this.#hasReplies) return;
    this.#hasReplies = true;
    for (const [id, { responses }] of this.#operations) {
      for (const status of Object.keys(responses)) this.reply(id, Number(status));
    }
  }

  #makeRequest(id: string, operation: Operation): RequestOutline {
    const role = { id, has: `${id} takes`, values: `${id} takes`, uses: `${id} uses` };
    const parameters = (operation.parameters ?? []).map((entry) => resolveRef(this.#contract, entry));
    const fieldsIn = (place: string, isAnswerable = true): Field[] =>
      parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema = true }) => this.#parameter(name, schema, `${place} ${name}`, role, isAnswerable));
    const content = operation.requestBody && resolveRef(this.#contract, operation.requestBody).content;
    const schema = content?.['application/json']?.schema;
    const query = fieldsIn('query');
    return {
      // If an operation ignored a path parameter, it couldn't return the 404 that the ledger of codes requires.
      path: { ...emptyOutline(), fields: fieldsIn('path', false) },
      query: { ...emptyOutline(), fields: query },
      headers: { ...emptyOutline(), fields: fieldsIn('header') },
      body:
        schema === undefined ? undefined : this.#outlineOf(schema, `${id} body`, { ...role, values: 'requests have' }),
      filters: query.flatMap(({ name, answer }) => (answer === undefined ? [] : [{ name, answer }])),
    };
  }

  #parameter(name: string, schema: Schema, label: string, role: Role, isAnswerable: boolean): Field {
    const key = `${role.has} ${label}`;
    this.#names.add(key);
    const answer = isAnswerable ? { answer: this.#answerable(`${role.uses} ${label}`, name) } : {};
    return { name, key, isSeen: false, outline: this.#outlineOf(schema, label, role), ...answer };
  }

  #answerable(key: string, name: string): Answerable {
    this.#names.add(key);
    return { key, canComeBack: this.#replyFields.has(name), isSeen: false };
  }

  /** @param label what holds the value; a component with properties uses its own name. */
  #outlineOf(schema: Schema, label: string, role: Role): Outline {
    if (typeof schema === 'boolean') return emptyOutline();
    const component = schemaName(schema);
    const resolved = resolveRef<SchemaObject>(this.#contract, schema);
    if (component === undefined || !hasProperties(resolved)) return this.#fill(emptyOutline(), resolved, label, role);
    const key = `${role.id} ${component}`;
    const known = this.#outlines.get(key);
    if (known !== undefined) return known;
    const made = emptyOutline();
    // Set before it is filled, because a schema may contain itself.
    this.#outlines.set(key, made);
    return this.#fill(made, resolved, component, role);
  }

  #fill(outline: Outline, schema: SchemaObject, label: string, role: Role): Outline {
    const { properties = {}, items, allOf = [], oneOf = [] } = schema as SchemaObject & Composed;
    outline.fields = Object.entries(properties).map(([name, one]) => this.#field(name, one, `${label}.${name}`, role));
    for (const value of schema.enum ?? []) this.#expectValue(outline, value, label, role);
    if (items !== undefined) outline.items = this.#outlineOf(items, label, role);
    outline.parts = allOf.map((part) => this.#outlineOf(part, label, role));
    const members = oneOf.map((member) => [member, this.#outlineOf(member, label, role)] as const);
    if (members.length > 0) outline.choose = this.#chooser(schema, members);
    (outline.members as Outline[]).push(...members.map(([, member]) => member));
    return outline;
  }

  #field(name: string, schema: Schema, label: string, role: Role): Field {
    const key = `${role.has} ${label}`;
    this.#names.add(key);
    if (role === replies) this.#replyFields.add(name);
    const outline = this.#outlineOf(schema, label, role);
    const isAnswerable = role.uses !== undefined && !holdsFields(outline);
    const answer = isAnswerable ? { answer: this.#answerable(`${role.uses} ${label}`, name) } : {};
    return { name, key, isSeen: false, outline, ...answer };
  }

  #expectValue(outline: Outline, value: unknown, label: string, role: Role): void {
    const key = `${role.values} ${label} = ${value}`;
    this.#names.add(key);
    outline.values.set(value, key);
  }

  /** By the discriminator. Without one, the first member that has all required properties and no unknown ones. */
  #chooser(schema: SchemaObject, members: readonly (readonly [Schema, Outline])[]): NonNullable<Outline['choose']> {
    const { discriminator } = schema as Composed;
    if (discriminator !== undefined) {
      const byRef = new Map(members.map(([member, outline]) => [(member as SchemaObject).$ref, outline]));
      const { propertyName, mapping } = discriminator;
      const byTag = new Map(Object.entries(mapping).map(([tag, ref]) => [tag, byRef.get(ref)]));
      return (value) => byTag.get(String(value[propertyName]));
    }
    const shapes = members.map(([member, outline]) => ({ outline, ...this.#shapeOf(member) }));
    return (value) =>
      shapes.find(
        ({ required, known }) =>
          required.every((name) => name in value) && Object.keys(value).every((n) => known.has(n)),
      )?.outline;
  }

  #shapeOf(schema: Schema): { readonly required: readonly string[]; readonly known: ReadonlySet<string> } {
    const resolved = resolveRef<SchemaObject & Composed>(this.#contract, schema as SchemaObject);
    const parts = (resolved.allOf ?? []).map((part) => this.#shapeOf(part));
    const known = [...Object.keys(resolved.properties ?? {}), ...parts.flatMap((part) => [...part.known])];
    return {
      required: [...(resolved.required ?? []), ...parts.flatMap(({ required }) => required)],
      known: new Set(known),
    };
  }
}

/** Keywords that the scripts don't read. */
interface Composed {
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

function hasProperties(schema: SchemaObject): boolean {
  return 'properties' in schema || 'oneOf' in schema || 'allOf' in schema;
}

function holdsFields({ fields, items, parts, members }: Outline): boolean {
  return fields.length + parts.length + members.length > 0 || (items !== undefined && holdsFields(items));
}

function emptyOutline(): Outline {
  return {
    fields: [],
    values: new Map(),
    items: undefined,
    parts: [],
    members: [],
    choose: undefined,
    isDone: false,
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
