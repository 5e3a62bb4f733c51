/** Reads the contract that the sandbox serves. Forms suggest its parameters and examples. */
import { useQuery } from '@tanstack/react-query';
import type { OperationFacts } from '../../generated/operations.ts';
import { useSession } from '../platform/session.tsx';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly description: string;
  /** The first example, as a text. */
  readonly example: string;
}

export interface Example {
  readonly name: string;
  readonly summary: string;
  readonly text: string;
}

/** What the form of an operation suggests. */
export interface Suggestions {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Example[];
  /** The numbers of the decisions that the operation depends on. */
  readonly decisions: readonly string[];
}

type Node = { readonly [name: string]: unknown };

/** Suggestions for an operation. The contract is read once, when the first form opens. */
export function useSuggestions(operation: OperationFacts) {
  const { readContract } = useSession();
  return useQuery({
    queryKey: ['contract'],
    queryFn: async () => (await readContract()) as Node,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { isCostly: true },
    select: (contract) => suggest(contract, operation),
  });
}

function suggest(contract: Node, { path, method }: OperationFacts): Suggestions {
  const resolve = (node: unknown): Node => {
    const { $ref } = (node ?? {}) as { $ref?: string };
    if ($ref === undefined) return (node ?? {}) as Node;
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Node)[name], contract);
    return resolve(found);
  };
  const at = (node: unknown, ...names: string[]): Node =>
    names.reduce((inner, name) => resolve(inner[name]), resolve(node));
  const examplesOf = (node: Node): [name: string, example: Node][] =>
    Object.entries(at(node, 'examples')).map(([name, example]) => [name, resolve(example)]);
  const stated = at(contract, 'paths', path, method.toLowerCase());
  const parameters = ((stated['parameters'] ?? []) as unknown[]).map((one) => {
    const parameter = resolve(one);
    const value = examplesOf(parameter)[0]?.[1]['value'];
    return {
      name: String(parameter['name']),
      in: parameter['in'] as Parameter['in'],
      isRequired: parameter['required'] === true,
      description: String(parameter['description'] ?? ''),
      example: value === undefined ? '' : String(value),
    };
  });
  const content = at(stated, 'requestBody', 'content', 'application/json');
  return {
    summary: String(stated['summary'] ?? ''),
    decisions: [stated['x-decision'] ?? []].flat().map(String),
    parameters,
    bodies: examplesOf(content).map(([name, { summary, value }]) => ({
      name,
      summary: String(summary ?? name),
      text: JSON.stringify(value, null, 2),
    })),
  };
}
