/**
 * Promise: the code samples of the reference work unchanged. Every TypeScript sample compiles with `strict`. For each
 * operation, the first TypeScript sample and the curl sample get the status that the reference shows with them, from a
 * sandbox with the world of the examples.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { createServiceClient } from '../../client/index.ts';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import { samplesOf } from '../../scripts/generate/readable.ts';
import type { Sample } from '../../scripts/generate/samples.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { openPort } from '../support/process/server.ts';
import { type Button, readButtons, readPage } from '../support/requests/buttons.ts';
import { isLongRun } from '../support/run/length.ts';
import { baseUrl, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const samples = samplesOf(bundle as unknown as ContractDocument);
const buttons = readButtons();
const shown = buttons.map(({ operationId, shown: status }) => [operationId, status]);

/** The first sample of an operation in a language. */
function firstOf({ operationId }: Button, lang: Sample['lang']): string {
  const found = samples.get(operationId)?.find((one) => one.lang === lang);
  if (found === undefined) throw new Error(`${operationId} has no sample in ${lang}`);
  return found.source;
}

/** Sends the request of every operation to a reset world, and returns the statuses. */
async function sendEach(
  sandbox: TestSandbox,
  send: (button: Button) => Promise<number>,
): Promise<(readonly [string, number])[]> {
  const answers: (readonly [string, number])[] = [];
  for (const button of buttons) {
    answers.push([button.operationId, await send(button)]);
    if (button.method !== 'GET') expect((await sandbox.control('POST', '/reset')).status).toBe(204);
  }
  return answers;
}

test('the page shows them, TypeScript first, for every example of a body', () => {
  const contract = readPage();
  for (const [path, method] of buttons.map(({ template, method }) => [template, method.toLowerCase()] as const)) {
    const operation = contract.paths[path]?.[method] as Record<string, unknown> & { operationId: string };
    expect(operation['x-codeSamples']).toEqual(samples.get(operation.operationId));
  }
  for (const all of samples.values()) {
    expect(all.slice(0, 2).map(({ label }) => label)).toEqual(['TypeScript', 'curl']);
  }
  const examples = samples.get('createQuote')?.flatMap(({ lang, example }) => (lang === 'shell' ? [example] : []));
  expect(examples).toEqual(['walletToBank', 'toUmaAddress', 'fundedFromOutside', 'executedAtOnce']);
});

test.each(isLongRun ? ['every sample in TypeScript compiles under strict'] : [])(
  '%s',
  () => {
    const texts = new Map(
      [...samples].flatMap(([id, all]) =>
        all
          .filter(({ lang }) => lang === 'typescript')
          .map(({ source }, place): [string, string] => [join(projectRoot, `test/samples/${id}.${place}.ts`), source]),
      ),
    );
    expect(texts.size).toBeGreaterThanOrEqual(buttons.length);
    const wrong = join(projectRoot, 'test/samples/wrong.ts');
    texts.set(
      wrong,
      firstOf(buttons.find(({ operationId }) => operationId === 'createQuote') as Button, 'typescript').replace(
        'SENDING',
        'SENT',
      ),
    );
    expect(typeErrors(texts)).toEqual([expect.stringMatching(/^wrong\.ts: .*"SENT"/)]);
  },
  60_000,
);

test('each in TypeScript gets the status that is shown with it', async () => {
  const sandbox = await openSandbox({ world: 'examples' });
  expect(await sendEach(sandbox, (button) => runTypeScript(sandbox, firstOf(button, 'typescript')))).toEqual(shown);
});

test('each for curl gets the status that is shown with it', async () => {
  const sandbox = await openSandbox({ world: 'examples' });
  // The real shell and curl are slow, so only the long run uses them.
  const address = isLongRun ? (await openPort(sandbox)).base : baseUrl;
  const send = (source: string) => (isLongRun ? runCurl(source) : readCurl(sandbox, source));
  expect(await sendEach(sandbox, (one) => send(firstOf(one, 'shell').replace(baseUrl, address)))).toEqual(shown);
});

/** The type errors of modules that import `countersign/client`, each with its file's name. */
function typeErrors(texts: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    paths: { 'countersign/client': [join(projectRoot, 'client/index.ts')] },
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => texts.get(name) ?? readFile(name);
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, ...rest) => {
    const text = texts.get(name);
    return text === undefined ? getSourceFile(name, ...rest) : ts.createSourceFile(name, text, ts.ScriptTarget.ES2024);
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([...texts.keys()], options, host))
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

const AsyncFunction = (async () => {}).constructor as new (
  ...texts: string[]
) => (create: typeof createServiceClient, console: Pick<Console, 'log'>) => Promise<void>;

/** Runs a sample in this process, and returns the status of its only reply. */
async function runTypeScript(sandbox: TestSandbox, source: string): Promise<number> {
  const statuses: number[] = [];
  const printed: unknown[] = [];
  const code = ts.transpile(source, { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext });
  const [, body = ''] = /^import \{ createServiceClient \} from 'countersign\/client';\n([\s\S]*)/.exec(code) ?? [];
  const create: typeof createServiceClient = (options) =>
    createServiceClient({
      ...options,
      fetch: async (request) => {
        const response = await sandbox.fetch(request);
        statuses.push(response.status);
        return response;
      },
    });
  await new AsyncFunction('createServiceClient', 'console', body)(create, { log: (value) => printed.push(value) });
  expect(printed).toEqual([expect.anything()]);
  expect(statuses).toHaveLength(1);
  return statuses[0] ?? 0;
}

/** Reads the words of a curl command like a shell, and sends the request. */
async function readCurl(sandbox: TestSandbox, source: string): Promise<number> {
  const words = [...source.replaceAll('\\\n', ' ').matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(')/g,
      (_, plain: string | undefined, mark: string | undefined) => plain ?? mark ?? '',
    ),
  );
  expect(words.shift()).toBe('curl');
  let [method, address, body]: [string, string, string | undefined] = ['GET', '', undefined];
  const headers = new Headers();
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (!word.startsWith('-')) address = word;
    else if (word === '-X') method = words.shift() ?? '';
    else if (word === '-u') headers.set('Authorization', `Basic ${btoa(words.shift() ?? '')}`);
    else if (word === '-d') body = words.shift();
    else if (word === '-H') headers.append(...((words.shift() ?? '').split(/: (.*)/s, 2) as [string, string]));
    else throw new Error(`What is ${word}?`);
  }
  const request = new Request(address, { method, headers, ...(body === undefined ? {} : { body }) });
  return (await sandbox.fetch(request)).status;
}

/** Runs a command with the shell and curl. */
async function runCurl(source: string): Promise<number> {
  const command = source.trim().replace(/^curl /, "curl -s -o /dev/null -w '%{http_code}' ");
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  return Number(stdout);
}
