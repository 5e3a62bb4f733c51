/**
 * Reads what both collections are written from: one request for each operation, with the examples' ids as variables.
 */
import type { ContractDocument } from '../../lib/contract.ts';
import { type FirstParameter, type FirstRequest, firstAccessToken, readFirstRequests } from '../firstRequests.ts';

export interface CollectedParameter {
  readonly name: string;
  /** A text with variables for ids. */
  readonly value: string;
  readonly description: string;
  readonly isSent: boolean;
}

export interface CollectedRequest extends Omit<FirstRequest, 'tag' | 'parameters' | 'bodies' | 'hasReply'> {
  readonly inPath: readonly CollectedParameter[];
  readonly query: readonly CollectedParameter[];
  readonly headers: readonly CollectedParameter[];
  /** JSON with variables for ids. */
  readonly body: string | undefined;
}

export interface Collection {
  readonly name: string;
  readonly version: string;
  readonly folders: readonly { readonly tag: string; readonly name: string; readonly requests: CollectedRequest[] }[];
  /** Base URL, credentials and the examples' ids, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

interface Tag {
  readonly name: string;
  readonly 'x-displayName'?: string;
}

const idForm = /\b([A-Z][A-Za-z]+):[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/**
 * Reads the collection from the contract. A request sends the first example of its operation. Optional parameters are
 * switched off, except the wallet's signature if the first reply needs one. A folder's requests can be run one after
 * the other.
 *
 * @throws Error if two ids would become the same variable.
 */
export function readCollection(contract: ContractDocument & { readonly tags?: readonly Tag[] }): Collection {
  const { title = '', version = '' } = contract.info ?? {};
  const variables = new Map([
    ['baseUrl', contract.servers?.[0]?.url ?? ''],
    ['clientId', 'sandbox'],
    ['clientSecret', 'sandbox'],
    ['agentToken', firstAccessToken(contract)],
  ]);
  const all = readFirstRequests(contract).map((one) => ({ tag: one.tag, request: collect(one, variables) }));
  const folders = (contract.tags ?? []).map((tag) => ({
    tag: tag.name,
    name: tag['x-displayName'] ?? tag.name,
    requests: inOrderOfUse(all.filter((one) => one.tag === tag.name).map(({ request }) => request)),
  }));
  return { name: title, version, folders: folders.filter(({ requests }) => requests.length > 0), variables };
}

/**
 * An order in which all requests can run: first those that read, then those that create, change and delete. Nested
 * things are deleted before the thing that contains them.
 */
function inOrderOfUse(requests: readonly CollectedRequest[]): CollectedRequest[] {
  const by = (method: string) => requests.filter((request) => request.method === method);
  return [...by('GET'), ...by('POST'), ...by('PUT'), ...by('PATCH'), ...by('DELETE').toReversed()];
}

function collect(
  { parameters, bodies: [first], tag: _, hasReply: __, ...request }: FirstRequest,
  variables: Map<string, string>,
): CollectedRequest {
  const placed = (place: FirstParameter['in']): CollectedParameter[] =>
    parameters
      .filter((one) => one.in === place)
      .flatMap(({ name, value, description, isSent }) =>
        [value].flat().map((one) => ({ name, value: withVariables(String(one), variables), description, isSent })),
      );
  return {
    ...request,
    inPath: placed('path'),
    query: placed('query'),
    headers: placed('header'),
    body: first && withVariables(JSON.stringify(first[1], null, 2), variables),
  };
}

/** Replaces ids with variables: `Customer:…01` becomes `customer01`, so that a new example doesn't rename others. */
function withVariables(text: string, variables: Map<string, string>): string {
  return text.replaceAll(idForm, (id, kind: string) => {
    const name = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}${id.slice(-2)}`;
    const known = variables.get(name) ?? id;
    if (known !== id) throw new Error(`${known} and ${id} would both be the variable ${name}`);
    variables.set(name, id);
    return `{{${name}}}`;
  });
}
