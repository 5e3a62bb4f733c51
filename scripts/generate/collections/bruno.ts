/** Writes the collection for Bruno: a folder of text files, one per request. */
import type { CollectedParameter, CollectedRequest, Collection } from './requests.ts';

/** The text of each file by its path in `generated/collections/bruno`. */
export function writeBruno({ name, folders, variables }: Collection): [path: string, text: string][] {
  const settings = { version: '1', name, type: 'collection', ignore: ['node_modules', '.git'] };
  const collection = blocks([
    ['meta', [`name: ${name}`]],
    ['auth', ['mode: basic']],
    ['auth:basic', ['username: {{clientId}}', 'password: {{clientSecret}}']],
    ['vars:pre-request', [...variables].map(([key, value]) => `${key}: ${value}`)],
  ]);
  return [
    ['bruno.json', `${JSON.stringify(settings, null, 2)}\n`],
    ['collection.bru', collection],
    ...folders.flatMap((folder, index): [string, string][] => [
      [
        `${folder.tag}/folder.bru`,
        blocks([
          ['meta', [`name: ${folder.name}`, `seq: ${index + 1}`]],
          ['auth', ['mode: inherit']],
        ]),
      ],
      ...folder.requests.map((request, at): [string, string] => [
        `${folder.tag}/${request.operationId}.bru`,
        writeRequest(request, at + 1),
      ]),
    ]),
  ];
}

type Block = readonly [name: string, lines: readonly string[]];

const modes = { basic: 'inherit', bearer: 'bearer', none: 'none' };

function writeRequest(request: CollectedRequest, seq: number): string {
  const { name, description, method, path, auth, inPath, query, headers, body, statuses } = request;
  const sent = query.filter(({ isSent }) => isSent).map((one) => `${one.name}=${one.value}`);
  const address = path.replaceAll(/\{([^}]+)\}/g, ':$1') + (sent.length === 0 ? '' : `?${sent.join('&')}`);
  return blocks([
    ['meta', [`name: ${name}`, 'type: http', `seq: ${seq}`]],
    [
      method.toLowerCase(),
      [`url: {{baseUrl}}${address}`, `body: ${body === undefined ? 'none' : 'json'}`, `auth: ${modes[auth]}`],
    ],
    ['params:query', query.map(pair)],
    ['params:path', inPath.map(pair)],
    ['headers', headers.map(pair)],
    ['auth:bearer', auth === 'bearer' ? ['token: {{agentToken}}'] : []],
    ['body:json', body?.split('\n') ?? []],
    [
      'tests',
      [
        'test("a status that the contract declares", () => {',
        `  expect(${JSON.stringify(statuses)}).to.include(res.getStatus());`,
        '});',
      ],
    ],
    ['docs', description.trimEnd().split('\n')],
  ]);
}

/** A tilde marks a parameter that is prepared but switched off. */
function pair({ name, value, isSent }: CollectedParameter): string {
  return `${isSent ? '' : '~'}${name}: ${value}`;
}

function blocks(all: readonly Block[]): string {
  return `${all
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => `${name} {\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n}`)
    .join('\n\n')}\n`;
}
