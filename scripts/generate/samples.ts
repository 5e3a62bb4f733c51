/**
 * Writes the code samples of an operation: its first request with our client, in TypeScript, and with curl. The page,
 * the site and the tests use the same samples.
 */
import type { FirstParameter, FirstRequest } from './firstRequests.ts';

/** Code that sends the first request of an operation. */
export interface Sample {
  /** Scalar's name for the language. */
  readonly lang: 'typescript' | 'shell';
  readonly label: string;
  /** The name of the body's example that it sends, if there are several. */
  readonly example?: string;
  readonly source: string;
}

/** Where the samples send their requests, and with which credentials. */
export interface Target {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly agentToken: string;
}

/**
 * The samples of an operation: two for each example of its body, first example first. None if a required parameter has
 * no example, as in the first published version.
 */
export function writeSamples(request: FirstRequest, target: Target): Sample[] {
  if (request.parameters.some(({ isSent, value }) => isSent && value === undefined)) return [];
  const bodies = request.bodies.length === 0 ? [[undefined, undefined] as const] : request.bodies;
  return bodies.flatMap(([name, body]): Sample[] => {
    // A sample without an example's name is shown for any example.
    const example = bodies.length > 1 && name !== undefined ? { example: name } : {};
    return [
      { lang: 'typescript', label: 'TypeScript', ...example, source: writeTypeScript(request, body, target) },
      { lang: 'shell', label: 'curl', ...example, source: writeCurl(request, body, target) },
    ];
  });
}

function writeTypeScript(request: FirstRequest, body: unknown, target: Target): string {
  const { auth, method, path, hasReply } = request;
  const { baseUrl, clientId, clientSecret, agentToken } = target;
  const credentials = { basic: { clientId, clientSecret }, bearer: { accessToken: agentToken }, none: undefined }[auth];
  const of = (place: FirstParameter['in']) => {
    const sent = sentIn(request, place);
    return sent.length === 0 ? undefined : Object.fromEntries(sent.map(({ name, value }) => [name, value]));
  };
  const params = { path: of('path'), query: of('query'), header: of('header') };
  const hasParams = Object.values(params).some((one) => one !== undefined);
  const options = { params: hasParams ? params : undefined, body };
  const opening = `client.${method}('${path}'`;
  const call = `${opening}${hasParams || body !== undefined ? `, ${literal(options, '', opening.length + 20)}` : ''})`;
  // A success without content has no data, so the sample shows the status.
  const [result, shown] = hasReply ? ['data', 'data'] : ['response', 'response.status'];
  return `import { createServiceClient } from 'countersign/client';

const client = createServiceClient(${literal({ baseUrl, credentials })});
const { ${result}, error } = await ${call};
if (error) throw new Error(error.message);
console.log(${shown});
`;
}

function writeCurl(request: FirstRequest, body: unknown, target: Target): string {
  const { baseUrl, clientId, clientSecret, agentToken } = target;
  const address = sentIn(request, 'path').reduce(
    (filled, { name, value }) => filled.replace(`{${name}}`, segment(value)),
    request.path,
  );
  const query = sentIn(request, 'query').flatMap(({ name, value }) =>
    [value].flat().map((one) => `${name}=${segment(one)}`),
  );
  const url = quoted(`${baseUrl}${address}${query.length === 0 ? '' : `?${query.join('&')}`}`);
  const credentials = {
    basic: [`-u ${clientId}:${clientSecret}`],
    bearer: [`-H ${quoted(`Authorization: Bearer ${agentToken}`)}`],
    none: [],
  }[request.auth];
  const parts = [
    `curl ${request.method === 'GET' ? '' : `-X ${request.method} `}${url}`,
    ...credentials,
    ...sentIn(request, 'header').map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return `${parts.join(' \\\n  ')}\n`;
}

function sentIn({ parameters }: FirstRequest, place: FirstParameter['in']): readonly FirstParameter[] {
  return parameters.filter((one) => one.in === place && one.isSent);
}

/** A value as a segment of a path or in a query. Colons stay, because ids contain one. */
function segment(value: unknown): string {
  return encodeURIComponent(String(value)).replaceAll('%3A', ':');
}

/** Quotes a text for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A value as a TypeScript literal, without undefined fields. @param before how many characters of its line are taken
 */
function literal(value: unknown, indent = '', before = indent.length + 16): string {
  if (typeof value === 'string') {
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => literal(one, deeper))
    : Object.entries(value).flatMap(([key, one]) =>
        one === undefined ? [] : [`${/^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`}: ${literal(one, deeper)}`],
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  const inner = parts.join(', ');
  const isShort = !inner.includes('\n') && before + inner.length < 80;
  if (isShort) return isList ? `[${inner}]` : `{ ${inner} }`;
  return `${open}\n${parts.map((part) => `${deeper}${part},`).join('\n')}\n${indent}${close}`;
}
