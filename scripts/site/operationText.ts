/** Writes an operation of the contract as a Markdown page, for people and for language models. */
import type { Sample } from '../generate/samples.ts';
import {
  type ContractDocument,
  type Example,
  type Examples,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  type RequestBody,
  type Response,
  resolveRef,
} from '../lib/contract.ts';
import { fence, joinParts, table, withHeadingsFrom } from './markdown.ts';
import { type SchemaLink, schemaText, typeText } from './schemaText.ts';

/** An operation with its path, method and texts. */
export interface DocumentedOperation extends Operation {
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly 'x-decision'?: string | readonly string[];
}

/** All operations of a contract, in the contract's order. */
export function documentedOperations(contract: ContractDocument): DocumentedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ ...operation, parameters, method: method.toUpperCase(), path }];
    }),
  );
}

/** The page of an operation. `link` names the pages of the schemas. */
export function operationText(
  contract: ContractDocument,
  operation: DocumentedOperation,
  samples: readonly Sample[],
  link: SchemaLink,
): string {
  const { operationId, method, path, summary, description = '' } = operation;
  return joinParts([
    `# ${summary ?? operationId}`,
    `\`${method} ${path}\`, operation \`${operationId}\``,
    withHeadingsFrom(2, description),
    `## Who may call it\n\n${securityText(operation)}`,
    parameterText(contract, operation, link),
    bodyText(contract, operation, link),
    sampleText(samples),
    `## Replies`,
    ...Object.entries(operation.responses).map(([status, reply]) => replyText(contract, status, reply, link)),
    decisionText(operation),
  ]);
}

function securityText(operation: DocumentedOperation): string {
  const permission = operation['x-permission'];
  const agent = operation['x-agent-permission'];
  const ways = (operation.security ?? []).map((way) => {
    const [scheme] = Object.keys(way);
    if (scheme === 'BasicAuth') {
      return `- a platform by HTTP Basic${permission === undefined ? '' : `, with a token that has \`${permission}\``}`;
    }
    if (scheme === 'AgentBearer') {
      return `- an agent by its Bearer token${agent === undefined ? '' : `, with \`${agent}\` in its policy`}`;
    }
    return scheme === undefined ? '- anybody' : `- \`${scheme}\``;
  });
  return ways.length === 0 ? 'Anybody.' : ways.join('\n');
}

function parameterText(contract: ContractDocument, { parameters = [] }: Operation, link: SchemaLink): string {
  const rows = parameters.map((reference) => {
    const parameter = resolveRef<Parameter & { required?: boolean; description?: string }>(contract, reference);
    const { name, in: place, required = false, schema, description = '' } = parameter;
    return [`\`${name}\``, place, typeText(schema, link), required ? 'yes' : 'no', description];
  });
  const rendered = table(['Name', 'In', 'Type', 'Required', 'Meaning'], rows);
  return rendered === '' ? '' : `## Parameters\n\n${rendered}`;
}

function bodyText(contract: ContractDocument, { requestBody }: Operation, link: SchemaLink): string {
  if (requestBody === undefined) return '';
  const { content = {}, required = false } = resolveRef<RequestBody>(contract, requestBody);
  return joinParts([
    `## Request body`,
    required ? 'Required.' : 'Optional.',
    ...Object.entries(content).flatMap(([type, media]) => [
      `${type}: ${schemaText(contract, media.schema, link)}`,
      ...exampleTexts(contract, media),
    ]),
  ]).trimEnd();
}

function replyText(
  contract: ContractDocument,
  status: string,
  reference: MaybeRef<Response>,
  link: SchemaLink,
): string {
  const {
    description = '',
    content = {},
    headers = {},
  } = resolveRef<Response & { description?: string }>(contract, reference);
  const names = Object.keys(headers).map((name) => `\`${name}\``);
  return joinParts([
    `### ${status}`,
    description,
    names.length === 0 ? undefined : `Headers: ${names.join(', ')}.`,
    ...Object.entries(content).flatMap(([type, media]) => {
      const codes = codesOf(media);
      const schema = codes.length === 0 ? schemaText(contract, media.schema, link) : `Codes: ${codes.join(', ')}.`;
      // All errors have the same form, so one example is enough.
      return [`${type}: ${schema}`, ...exampleTexts(contract, media).slice(0, codes.length === 0 ? undefined : 1)];
    }),
  ]).trimEnd();
}

/** The codes that an error can have. */
function codesOf({ schema }: Examples): string[] {
  if (typeof schema !== 'object') return [];
  const narrowed = schema.allOf?.flatMap((part) => {
    const code = typeof part === 'object' ? part.properties?.['code'] : undefined;
    return typeof code !== 'object' ? [] : [...(code.enum ?? []), ...(code.const === undefined ? [] : [code.const])];
  });
  return (narrowed ?? []).map((code) => `\`${code}\``);
}

function exampleTexts(contract: ContractDocument, { examples = {} }: Examples): string[] {
  return Object.entries(examples).map(([name, reference]) => {
    const { value, summary } = resolveRef<Example & { summary?: string }>(contract, reference);
    return `Example ${summary ?? name}:\n\n${fence('json', JSON.stringify(value, null, 2))}`;
  });
}

/** The first request in each language. */
function sampleText(samples: readonly Sample[]): string {
  const first = samples.filter(({ lang }, place) => samples.findIndex((one) => one.lang === lang) === place);
  return joinParts(['## Try it', ...first.map(({ lang, source }) => fence(lang, source.trimEnd()))]);
}

function decisionText(operation: DocumentedOperation): string {
  const decisions = [operation['x-decision'] ?? []].flat();
  return decisions.length === 0 ? '' : `Rests on the decisions ${decisions.join(', ')}.`;
}
