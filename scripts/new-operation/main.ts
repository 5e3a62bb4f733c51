/**
 * `npm run new -- <domain> <operationId> <METHOD> <path>`: writes the five parts of a new operation, so that none is
 * forgotten: its YAML with the schemas of its bodies, its line in openapi.yaml, its handler, its line in handlers.ts
 * and its test.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding, Finding, WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { httpMethods } from '../lib/contract.ts';
import { type HouseWords, readHouseWords } from '../lib/house.ts';
import { projectRoot, withUnixLineEnds } from '../lib/project.ts';
import { writeFiles } from '../lib/write.ts';
import {
  handlerSkeleton,
  type KnownParameter,
  type NewOperation,
  operationSkeleton,
  schemaSkeletons,
  tagSkeleton,
  testSkeleton,
} from './skeletons.ts';

interface Root {
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly $ref?: string }>>>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly 'x-not-found'?: string;
}

/**
 * Writes the five parts of a new operation into a project. If it throws, nothing is written.
 *
 * @returns the paths of the files that were written or changed, from the root
 * @throws Error that says what is wrong: an invalid name, an unknown domain, an existing id or method and path.
 */
export async function addOperation(wanted: NewOperation, root: string = projectRoot): Promise<string[]> {
  const { domain, operationId } = wanted;
  const rootText = withUnixLineEnds(await readFile(join(root, 'openapi/openapi.yaml'), 'utf8'));
  const contract = parse(rootText) as Root;
  refuseBadNames(wanted, readHouseWords(root));
  refuseExisting(wanted, contract);

  const yaml = `openapi/paths/${domain}/${operationId}.yaml`;
  const handler = `mocks/sandbox/domains/${domain}/${operationId}.ts`;
  const test = `test/${domain}/${operationId}.test.ts`;
  const schemas = Object.values(schemaSkeletons(wanted)).map(({ name, text }): [string, string] => [
    `openapi/components/schemas/${domain}/${name}.yaml`,
    text,
  ]);
  for (const file of [yaml, ...schemas.map(([path]) => path), handler, test]) {
    if (existsSync(join(root, file))) throw new Error(`${file} exists already`);
  }

  const handlers = 'mocks/sandbox/registry/handlers.ts';
  const tagged = contract.tags?.some(({ name }) => name === domain) === true ? rootText : addTag(rootText, domain);
  const texts = new Map([
    [yaml, operationSkeleton(wanted, await knownParameters(root))],
    ...schemas,
    ['openapi/openapi.yaml', addPath(tagged, wanted)],
    [handler, handlerSkeleton(wanted)],
    [handlers, addHandler(withUnixLineEnds(await readFile(join(root, handlers), 'utf8')), wanted)],
    [test, testSkeleton(wanted)],
  ]);
  return writeFiles(texts, root);
}

function refuseBadNames({ domain, operationId, method, path }: NewOperation, words: HouseWords): void {
  if (!words.domains.includes(domain)) {
    throw new Error(`Unknown domain "${domain}". The domains are ${words.domains.join(', ')}.`);
  }
  const verb = words.verbs.find(
    (word) => operationId.startsWith(word) && /^[A-Z]/.test(operationId.slice(word.length)),
  );
  if (!/^[a-z][A-Za-z0-9]*$/.test(operationId) || verb === undefined) {
    throw new Error(
      `"${operationId}" isn't an operation id: a verb and a noun in camelCase, such as getQuote. ` +
        `The verbs are ${words.verbs.join(', ')}.`,
    );
  }
  const methods = httpMethods.map((name) => name.toUpperCase());
  if (!methods.includes(method)) throw new Error(`"${method}" isn't a method: one of ${methods.join(', ')}.`);
  if (!/^(?:\/(?:[a-z0-9]+(?:-[a-z0-9]+)*|\{[a-z][A-Za-z0-9]*\}))+$/.test(path)) {
    throw new Error(`"${path}" isn't a path: segments in kebab-case or {camelCase}, such as /quotes/{quoteId}.`);
  }
  const parameters = pathParameters(path);
  if (new Set(parameters).size < parameters.length) throw new Error(`"${path}" names a parameter twice.`);
}

function refuseExisting({ operationId, method, path }: NewOperation, contract: Root): void {
  const shape = (text: string) => text.replaceAll(/\{[^}]+\}/g, '{}');
  for (const [existing, item] of Object.entries(contract.paths)) {
    for (const { $ref = '' } of Object.values(item)) {
      if (basename($ref, '.yaml') === operationId) throw new Error(`${operationId} exists already: openapi/${$ref}`);
    }
    if (shape(existing) !== shape(path)) continue;
    if (existing !== path) throw new Error(`This path exists already with other parameter names: ${existing}`);
    if (method.toLowerCase() in item) throw new Error(`${method} ${path} exists already.`);
  }
}

function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
}

/**
 * The shared path parameters by name. A name that several parameters share (`id`) is left out, because it is ambiguous.
 */
async function knownParameters(root: string): Promise<Map<string, KnownParameter>> {
  const folder = join(root, 'openapi/components/parameters');
  const found = new Map<string, KnownParameter[]>();
  for (const file of (await readdir(folder)).sort()) {
    const parameter = parse(await readFile(join(folder, file), 'utf8')) as Parameter;
    const { name, in: place, 'x-not-found': notFound = 'REFERENCE_NOT_FOUND' } = parameter;
    if (place === 'path') found.set(name, [...(found.get(name) ?? []), { file, notFound }]);
  }
  return new Map([...found].flatMap(([name, [one, ...more]]) => (one && more.length === 0 ? [[name, one]] : [])));
}

// Works on lines, not with a parser, so that the rest of the file stays as it is.
function addPath(text: string, { domain, operationId, method, path }: NewOperation): string {
  const lines = text.split('\n');
  const reference = [`    ${method.toLowerCase()}:`, `      $ref: paths/${domain}/${operationId}.yaml`];
  const start = lines.indexOf('paths:') + 1;
  if (start === 0) throw new Error('openapi/openapi.yaml has no line "paths:"');
  const end = endOfBlock(lines, start, 0);
  const own = lines.indexOf(`  ${path}:`, start);
  if (own !== -1) return insert(lines, endOfBlock(lines, own + 1, 2), reference);
  const siblings = lines
    .slice(start, end)
    .flatMap((line, index) => (line.startsWith(`  /${path.split('/')[1]}`) ? [start + index] : []));
  const last = siblings.at(-1);
  return insert(lines, last === undefined ? end : endOfBlock(lines, last + 1, 2), [`  ${path}:`, ...reference]);
}

function addTag(text: string, domain: string): string {
  const lines = text.split('\n');
  const start = lines.indexOf('tags:') + 1;
  if (start === 0) throw new Error('openapi/openapi.yaml has no line "tags:"');
  return insert(lines, endOfBlock(lines, start, 0), tagSkeleton(domain));
}

/** The first line at or after `from` that is indented by `indent` or less. The block ends before it. */
function endOfBlock(lines: readonly string[], from: number, indent: number): number {
  const end = lines.findIndex((line, index) => index >= from && line.trim() !== '' && line.search(/\S/) <= indent);
  return end === -1 ? lines.length - 1 : end;
}

function insert(lines: readonly string[], at: number, added: readonly string[]): string {
  return [...lines.slice(0, at), ...added, ...lines.slice(at)].join('\n');
}

function addHandler(text: string, { domain, operationId }: NewOperation): string {
  const imported = `import { ${operationId} } from '../domains/${domain}/${operationId}.ts';`;
  // Biome sorts imports without regard to case.
  const from = (line: string) => line.slice(line.indexOf(' from ')).toLowerCase();
  const withImport = insertSorted(text.split('\n'), (line) => line.startsWith('import '), imported, from);
  const start = withImport.findIndex((line) => line.startsWith('export const handlers = {'));
  const listed = withImport.slice(start).filter((line) => /^ {2}\w+,$/.test(line));
  if (start === -1 || listed.length === 0)
    throw new Error('mocks/sandbox/registry/handlers.ts has no list of handlers');
  return insertSorted(withImport, (line) => listed.includes(line), `  ${operationId},`).join('\n');
}

function insertSorted(
  lines: readonly string[],
  isPeer: (line: string) => boolean,
  added: string,
  key: (line: string) => string = (line) => line,
): string[] {
  const after = lines.findLastIndex((line) => isPeer(line) && key(line) < key(added));
  const at = after === -1 ? lines.findIndex(isPeer) : after + 1;
  return lines.toSpliced(at, 0, added);
}

const nextSteps = ({ domain, operationId }: NewOperation): string => `
Next:
  1. openapi/paths/${domain}/${operationId}.yaml: say what it takes, answers and refuses (rules: openapi/README.md).
  2. npm run generate
  3. mocks/sandbox/domains/${domain}/${operationId}.ts: what it does. Until then it answers 500.
  4. test/${domain}/${operationId}.test.ts: one test for each status; a status without one fails npm test.
  5. npm run check && npm test
`;

export const command = defineCommand({
  name: 'new',
  call: 'npm run new',
  script: 'new',
  does: 'write the five parts of a new operation',
  about: `
Writes the YAML of an operation with the schemas of its bodies, its line in openapi.yaml, its handler, its line in
handlers.ts and its test. If it refuses, it writes nothing.`,
  words: [
    { name: 'domain', does: 'the folder it belongs to, such as quotes', isRequired: true },
    { name: 'operationId', does: 'a verb and a noun, such as cancelQuote', isRequired: true },
    { name: 'METHOD', does: 'GET, POST, …', isRequired: true },
    { name: 'path', does: 'such as /quotes/{quoteId}/cancel', isRequired: true },
  ],
  flags: {},
  examples: [["quotes cancelQuote POST '/quotes/{quoteId}/cancel'", 'an operation on one quote']],
  async run({ words, output }) {
    const [domain = '', operationId = '', method = '', path = ''] = words;
    const wanted = { domain, operationId, method: method.toUpperCase(), path };
    const files = await addOperation(wanted).catch((error: unknown) => {
      const finding = asFinding(error);
      throw finding instanceof Finding ? new WrongUse(finding.message) : finding;
    });
    for (const file of files) output.stdout(`  wrote ${file}\n`);
    output.stdout(nextSteps(wanted));
    return 0;
  },
});

if (import.meta.main) await runScript(command);
