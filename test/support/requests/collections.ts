/** Reads the generated collections like the programs that they are made for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../generated/collections');

/** A request of a collection, with its variables replaced. */
export interface SavedRequest {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly auth: 'basic' | 'bearer' | 'none';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface SavedCollection {
  readonly variables: Readonly<Record<string, string>>;
  readonly requests: readonly SavedRequest[];
}

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface PostmanItem {
  readonly name: string;
  readonly item?: readonly PostmanItem[];
  readonly request?: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly header: readonly Pair[];
    readonly url: {
      readonly path: readonly string[];
      readonly query?: readonly Pair[];
      readonly variable?: readonly Pair[];
    };
    readonly body?: { readonly raw: string };
  };
}

/**
 * The collection for Postman, in its order.
 * @param options isFilled: whether to replace variables with their values
 */
export function readPostman({ isFilled = true } = {}): SavedCollection {
  const file = JSON.parse(readFileSync(join(folder, 'countersign.postman_collection.json'), 'utf8'));
  const variables = valuesOf(file.variable);
  const fill = isFilled ? filler(variables) : (text = '') => text;
  const all = (items: readonly PostmanItem[]): PostmanItem[] =>
    items.flatMap((one) => (one.item ? all(one.item) : [one]));
  const requests = all(file.item).map(({ name, request }): SavedRequest => {
    if (request === undefined) throw new Error(`${name} has no request`);
    const { method, auth, header, url, body } = request;
    const inPath = valuesOf(url.variable);
    const path = url.path.map((one) => (one.startsWith(':') ? encodeURIComponent(fill(inPath[one.slice(1)])) : one));
    return {
      name,
      method,
      url: `${variables['baseUrl']}/${path.join('/')}${queryOf(valuesOf(url.query), fill)}`,
      auth: auth === undefined ? 'basic' : auth.type === 'bearer' ? 'bearer' : 'none',
      headers: filled(valuesOf(header), fill),
      body: body && JSON.parse(fill(body.raw)),
    };
  });
  return { variables, requests };
}

/** The collection for Bruno, by folder and number. */
export function readBruno(): SavedCollection {
  const root = join(folder, 'bruno');
  const read = (path: string) => blocksOf(readFileSync(join(root, path), 'utf8'));
  const variables = pairsOf(read('collection.bru')['vars:pre-request']);
  const fill = filler(variables);
  const number = (blocks: Blocks): number => Number(pairsOf(blocks['meta'])['seq']);
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, at: number(read(`${name}/folder.bru`)) }))
    .sort((one, other) => one.at - other.at);
  const requests = folders.flatMap(({ name: folderName }) =>
    readdirSync(join(root, folderName))
      .filter((file) => file !== 'folder.bru')
      .map((file) => read(`${folderName}/${file}`))
      .sort((one, other) => number(one) - number(other))
      .map((blocks): SavedRequest => {
        const method = ['get', 'post', 'put', 'patch', 'delete'].find((one) => one in blocks) ?? '';
        const { url = '', auth, body } = pairsOf(blocks[method]);
        const inPath = pairsOf(blocks['params:path']);
        const [address = ''] = url.split('?');
        const path = address.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(fill(inPath[name])));
        const text = blocks['body:json'];
        return {
          name: pairsOf(blocks['meta'])['name'] ?? '',
          method: method.toUpperCase(),
          url: fill(path) + queryOf(pairsOf(blocks['params:query']), fill),
          auth: auth === 'inherit' ? 'basic' : auth === 'bearer' ? 'bearer' : 'none',
          headers: {
            ...(body === 'json' && { 'Content-Type': 'application/json' }),
            ...filled(pairsOf(blocks['headers']), fill),
          },
          body: text && JSON.parse(fill(text)),
        };
      }),
  );
  return { variables, requests };
}

type Blocks = Readonly<Record<string, string>>;

/** Each block of the text by its name, without indentation. */
function blocksOf(text: string): Blocks {
  const found = [...text.matchAll(/^([\w:-]+) \{\n([\s\S]*?)\n\}$/gm)];
  return Object.fromEntries(found.map(([, name, body = '']) => [name, body.replaceAll(/^ {2}/gm, '')]));
}

/** The lines `name: value` of a block, without those that are switched off. */
function pairsOf(block = ''): Record<string, string> {
  const pairs = block.split('\n').map((line) => /^([^:]+): (.*)$/.exec(line) ?? []);
  return Object.fromEntries(
    pairs.filter(([, name = '~']) => !name.startsWith('~')).map(([, name, value]) => [name, value]),
  );
}

function valuesOf(pairs: readonly Pair[] = []): Record<string, string> {
  return Object.fromEntries(pairs.filter(({ disabled }) => disabled !== true).map(({ key, value }) => [key, value]));
}

/** @throws Error for a variable that the collection doesn't have. */
function filler(variables: Readonly<Record<string, string>>): (text?: string) => string {
  return (text = '') =>
    text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`The collection has no variable ${name}`);
      return value;
    });
}

function filled(values: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}

function queryOf(values: Readonly<Record<string, string>>, fill: (text: string) => string): string {
  const query = new URLSearchParams(filled(values, fill)).toString();
  return query === '' ? '' : `?${query}`;
}
