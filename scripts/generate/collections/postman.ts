/** Writes the collection for Postman and other tools that read its format (v2.1). */
import type { CollectedParameter, CollectedRequest, Collection } from './requests.ts';

/** The text of `generated/collections/countersign.postman_collection.json`. */
export function writePostman({ name, version, folders, variables }: Collection): string {
  const collection = {
    info: {
      name,
      version,
      description: 'Start the sandbox, then send. The variables are on the tab of the collection.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: basicAuth,
    variable: [...variables].map(([key, value]) => ({ key, value })),
    item: folders.map((folder) => ({ name: folder.name, item: folder.requests.map(writeItem) })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

const basicAuth = {
  type: 'basic',
  basic: [
    { key: 'username', value: '{{clientId}}' },
    { key: 'password', value: '{{clientSecret}}' },
  ],
};
const auths = {
  // Undefined: the request inherits the collection's authentication.
  basic: undefined,
  bearer: { type: 'bearer', bearer: [{ key: 'token', value: '{{agentToken}}' }] },
  none: { type: 'noauth' },
};

function writeItem(request: CollectedRequest): object {
  const { name, description, method, path, auth, inPath, query, headers, body, statuses } = request;
  const segments = path.replaceAll(/\{([^}]+)\}/g, ':$1');
  const sent = query.filter(({ isSent }) => isSent).map((one) => `${one.name}=${one.value}`);
  return {
    name,
    event: [
      {
        listen: 'test',
        script: {
          type: 'text/javascript',
          exec: [
            `pm.test('a status that the contract declares', () => {`,
            `  pm.expect(${JSON.stringify(statuses)}).to.include(pm.response.code);`,
            '});',
          ],
        },
      },
    ],
    request: {
      method,
      ...(auths[auth] && { auth: auths[auth] }),
      description,
      header: [
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...headers.map(writeParameter),
      ],
      url: {
        raw: `{{baseUrl}}${segments}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
        host: ['{{baseUrl}}'],
        path: segments.slice(1).split('/'),
        ...(query.length > 0 && { query: query.map(writeParameter) }),
        ...(inPath.length > 0 && { variable: inPath.map(writeParameter) }),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
    },
    response: [],
  };
}

function writeParameter({ name, value, description, isSent }: CollectedParameter): object {
  return { key: name, value, description, ...(!isSent && { disabled: true }) };
}
