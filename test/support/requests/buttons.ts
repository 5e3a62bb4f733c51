/**
 * The requests of the reference's "Test Request" buttons, built from the contract in the page as Scalar 1.76 builds them:
 * the first example of each parameter and of the body. An optional parameter is sent as soon as its example has a value,
 * unless `x-disabled` stands beside it.
 */
import { readFileSync } from 'node:fs';
import {
  type ContractDocument,
  type Example,
  httpMethods,
  type Operation,
  type Parameter,
  type RequestBody,
  resolveRef,
} from '../../../scripts/lib/contract.ts';

/** What a button sends, and what the page shows below it. */
export interface Button {
  readonly operationId: string;
  readonly method: string;
  /** Below the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly auth: 'basic' | 'bearer' | 'none';
  /** The first success that the contract declares, which the page shows first. */
  readonly shown: number;
}

type ButtonExample = Example & { readonly 'x-disabled'?: boolean };

const page = new URL('../../../generated/reference/index.html', import.meta.url);

/** The contract that the page holds. */
function readPage(): ContractDocument {
  const data = /<script[^>]* id="data"[^>]*>([\s\S]*?)<\/script>/.exec(readFileSync(page, 'utf8'))?.[1];
  return (JSON.parse(data ?? '') as { readonly contract: ContractDocument }).contract;
}

/** A button of each operation, in the contract's order. */
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
  const sent = (place: Parameter['in']): [name: string, value: unknown][] =>
    parameters.flatMap((one) => {
      const parameter = resolveRef<Parameter & { readonly required?: boolean }>(contract, one);
      const [example] = Object.values(parameter.examples ?? {}).map(
        (value) => resolveRef<Example>(contract, value) as ButtonExample,
      );
      const isSent = example !== undefined && example['x-disabled'] !== true && example.value !== '';
      return parameter.in === place && isSent ? [[parameter.name, example.value]] : [];
    });
  const query = sent('query').flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const search = new URLSearchParams(query as [string, string][]).toString();
  const body = requestBody && resolveRef<RequestBody>(contract, requestBody).content?.['application/json'];
  const [example] = Object.values(body?.examples ?? {});
  const [scheme] = Object.keys(security[0] ?? {});
  return {
    operationId,
    method: method.toUpperCase(),
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
