/** What both collections are written from: one request of each operation, with the ids of the examples as variables. */
import {
  type ContractDocument,
  type Example,
  type Examples,
  httpMethods,
  type Operation,
  type Parameter,
  type RequestBody,
  resolveRef,
} from '../../lib/contract.ts';
import { isSentFirst } from '../firstRequest.ts';

export interface CollectedParameter {
  readonly name: string;
  /** A text in which ids are variables. */
  readonly value: string;
  readonly description: string;
  /** An optional one stands ready, switched off, unless the first reply needs it. */
  readonly isSent: boolean;
}

export interface CollectedRequest {
  readonly operationId: string;
  readonly name: string;
  readonly description: string;
  readonly method: string;
  /** Below the base URL, with `{name}` for parameters. */
  readonly path: string;
  readonly auth: 'basic' | 'bearer' | 'none';
  readonly inPath: readonly CollectedParameter[];
  readonly query: readonly CollectedParameter[];
  readonly headers: readonly CollectedParameter[];
  /** JSON in which ids are variables. */
  readonly body: string | undefined;
  /** The statuses that the contract declares, those of the transport included. */
  readonly statuses: readonly number[];
}

export interface Collection {
  readonly name: string;
  readonly version: string;
  readonly folders: readonly { readonly tag: string; readonly name: string; readonly requests: CollectedRequest[] }[];
  /** Base URL, credentials and the ids of the examples, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

interface Tag {
  readonly name: string;
  readonly 'x-displayName'?: string;
}

const idForm = /\b([A-Z][A-Za-z]+):[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/**
 * Reads the collection off the contract. A request sends the first example of its operation. Optional parameters are
 * switched off, but for the wallet's signature where the first reply comes after one. A folder's requests can be run one
 * after the other.
 *
 * @throws Error when two ids would be the same variable.
 */
export function readCollection(contract: ContractDocument & { readonly tags?: readonly Tag[] }): Collection {
  const { title = '', version = '' } = (contract.info ?? {}) as { title?: string; version?: string };
  const variables = new Map([
    ['baseUrl', contract.servers?.[0]?.url ?? ''],
    ['clientId', 'sandbox'],
    ['clientSecret', 'sandbox'],
    ['agentToken', firstAccessToken(contract)],
  ]);
  const collector = new Collector(contract, variables);
  const all = Object.entries(contract.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as (Operation & { readonly tags?: readonly string[] }) | undefined;
      if (operation === undefined) return [];
      return [{ tag: operation.tags?.[0], request: collector.request(path, method, operation, item.parameters ?? []) }];
    }),
  );
  const folders = (contract.tags ?? []).map((tag) => ({
    tag: tag.name,
    name: tag['x-displayName'] ?? tag.name,
    requests: inOrderOfUse(all.filter((one) => one.tag === tag.name).map(({ request }) => request)),
  }));
  return { name: title, version, folders: folders.filter(({ requests }) => requests.length > 0), variables };
}

/**
 * The order in which one can run them all: what reads, makes, changes, and ends. What is made inside of something ends
 * before it.
 */
function inOrderOfUse(requests: readonly CollectedRequest[]): CollectedRequest[] {
  const by = (method: string) => requests.filter((request) => request.method === method);
  return [...by('GET'), ...by('POST'), ...by('PUT'), ...by('PATCH'), ...by('DELETE').toReversed()];
}

type Described = { readonly summary?: string; readonly description?: string };

class Collector {
  private readonly contract: ContractDocument;
  private readonly variables: Map<string, string>;

  constructor(contract: ContractDocument, variables: Map<string, string>) {
    this.contract = contract;
    this.variables = variables;
  }

  request(
    path: string,
    method: string,
    operation: Operation & Described,
    shared: NonNullable<Operation['parameters']>,
  ): CollectedRequest {
    const { operationId, summary = operationId, description = '', responses, security = [] } = operation;
    const [scheme] = Object.keys(security[0] ?? {});
    const statuses = Object.keys(responses);
    const parameters = [...shared, ...(operation.parameters ?? [])].map((one) =>
      resolveRef<Parameter & Described & { readonly required?: boolean }>(this.contract, one),
    );
    const placed = (place: Parameter['in']): CollectedParameter[] =>
      parameters
        .filter((one) => one.in === place)
        .flatMap((one) =>
          [this.firstExample(one)].flat().map((value) => ({
            name: one.name,
            value: this.withVariables(String(value)),
            description: one.description ?? '',
            isSent: isSentFirst(operation, one),
          })),
        );
    const transport = Object.keys(this.contract['x-transport-responses'] ?? {});
    return {
      operationId,
      name: summary,
      description,
      method: method.toUpperCase(),
      path,
      auth: scheme === 'BasicAuth' ? 'basic' : scheme === undefined ? 'none' : 'bearer',
      inPath: placed('path'),
      query: placed('query'),
      headers: placed('header'),
      body: this.body(operation),
      statuses: [...new Set([...statuses, ...transport].map(Number))],
    };
  }

  private body({ requestBody }: Operation): string | undefined {
    if (requestBody === undefined) return undefined;
    const media = resolveRef<RequestBody>(this.contract, requestBody).content?.['application/json'];
    const example = this.firstExample(media ?? {});
    return example === undefined ? undefined : this.withVariables(JSON.stringify(example, null, 2));
  }

  private firstExample({ examples = {} }: Examples): unknown {
    const [first] = Object.values(examples);
    return first === undefined ? undefined : resolveRef<Example>(this.contract, first).value;
  }

  /** Ids become variables: of `Customer:…01` it is `customer01`, so that another example changes no other name. */
  private withVariables(text: string): string {
    return text.replaceAll(idForm, (id, kind: string) => {
      const name = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}${id.slice(-2)}`;
      const known = this.variables.get(name) ?? id;
      if (known !== id) throw new Error(`${known} and ${id} would both be the variable ${name}`);
      this.variables.set(name, id);
      return `{{${name}}}`;
    });
  }
}

/** The token of the agent in the examples. */
function firstAccessToken({ components }: ContractDocument): string {
  const values = Object.values(components?.examples ?? {}).map(({ value }) => value as { accessToken?: string });
  return values.find((value) => typeof value?.accessToken === 'string')?.accessToken ?? '';
}
