/**
 * The requests of the reference's "Test Request" buttons, built from the contract in the page like Scalar 1.76 does
 * (request-example/builder of its workspace-store). It takes the first example of the body. For each parameter it takes
 * the example with the same name, otherwise its only `example`, otherwise its schema's default. A parameter with a
 * value is sent, optional or not, unless it has `x-disabled`.
 */
import { readFileSync } from 'node:fs';
import {
  type ContractDocument,
  type Example,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  type RequestBody,
  resolveRef,
  type SchemaObject,
} from '../../../scripts/lib/contract.ts';

/** What a button sends, and what the page shows below it. */
export interface Button {
  readonly operationId: string;
  readonly method: string;
  /** The path in the contract. */
  readonly template: string;
  /** The path below the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly auth: 'basic' | 'bearer' | 'none';
  /** The first success status in the contract; the page shows it first. */
  readonly shown: number;
}

type ButtonExample = Partial<Example> & { readonly 'x-disabled'?: boolean };
type ButtonParameter = Parameter & { readonly example?: unknown };

/** The example that Scalar uses for a parameter, given the name of the body's example. */
function exampleOf(
  contract: ContractDocument,
  { examples, example, schema }: ButtonParameter,
  name: string | undefined,
): ButtonExample | undefined {
  const named = examples?.[name ?? Object.keys(examples)[0] ?? ''];
  if (named !== undefined) return resolveRef<Example>(contract, named);
  if (examples === undefined && example !== undefined) return { value: example };
  const declared = typeof schema === 'object' ? resolveRef(contract, schema as MaybeRef<SchemaObject>) : {};
  return declared.default === undefined ? undefined : { value: declared.default };
}

const page = new URL('../../../generated/reference/index.html', import.meta.url);

/** The contract in the page. */
export function readPage(): ContractDocument {
  const data = /<script[^>]* id="data"[^>]*>([\s\S]*?)<\/script>/.exec(readFileSync(page, 'utf8'))?.[1];
  return (JSON.parse(data ?? '') as { readonly contract: ContractDocument }).contract;
}

/** A button for each operation, in the contract's order. */
export function readButtons(): Button[] {
  const contract = readPage();
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation === undefined ? [] : [buttonOf(contract, path, method, operation)];
    }),
  );
}

function buttonOf(contract: ContractDocument, path: string, method: string, operation: Operation): Button {
  const { operationId, parameters = [], requestBody, responses, security = [] } = operation;
  const body = requestBody && resolveRef<RequestBody>(contract, requestBody).content?.['application/json'];
  const [[name, example] = []] = Object.entries(body?.examples ?? {});
  const sent = (place: Parameter['in']): [name: string, value: unknown][] =>
    parameters.flatMap((one) => {
      const parameter = resolveRef<Parameter>(contract, one) as ButtonParameter;
      const found = exampleOf(contract, parameter, name);
      const isSent = found?.value !== undefined && found.value !== '' && found['x-disabled'] !== true;
      return parameter.in === place && isSent ? [[parameter.name, found.value]] : [];
    });
  const query = sent('query').flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const search = new URLSearchParams(query as [string, string][]).toString();
  const [scheme] = Object.keys(security[0] ?? {});
  return {
    operationId,
    method: method.toUpperCase(),
    template: path,
    path:
      sent('path').reduce(
        (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(String(value))),
        path,
      ) + (search === '' ? '' : `?${search}`),
    headers: Object.fromEntries(sent('header').map(([name, value]) => [name, String(value)])),
    body: example === undefined ? undefined : resolveRef<Example>(contract, example).value,
    auth: scheme === 'BasicAuth' ? 'basic' : scheme === undefined ? 'none' : 'bearer',
    shown: Number(Object.keys(responses).find((status) => status < '300')),
  };
}
