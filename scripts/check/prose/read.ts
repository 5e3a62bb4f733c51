/** Reads the prose that says how the service behaves: the contract's descriptions and the pages beside it. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContractDocument, httpMethods, type Operation } from '../../lib/contract.ts';

/** A text, and the operation that it describes, if it describes just one. */
export interface Prose {
  /** Where the text is: a file, or a place in the bundled contract. */
  readonly where: string;
  readonly text: string;
  readonly operationId?: string;
}

/** The pages that describe the service, besides those in `docs/`. The guides are part of the contract's description. */
const pages = [
  'README.md',
  'client/README.md',
  'conformance/README.md',
  'mocks/README.md',
  'mocks/sandbox/SECURITY.md',
  'openapi/DECISIONS.md',
  'openapi/README.md',
  'package/README.md',
];

/** The text of each page, without code fences: tests run that code. */
export async function readPages(root: string): Promise<Prose[]> {
  const docs = globSync('docs/**/*.md', { cwd: root }).sort();
  return Promise.all(
    [...pages, ...docs].map(async (page) => ({
      where: page,
      text: withoutFences(await readFile(join(root, page), 'utf8')),
    })),
  );
}

/** Every summary and description of a bundled contract, and the messages of its example errors. */
export function readContractProse(contract: ContractDocument): Prose[] {
  const prose: Prose[] = [];
  const ofNode = (node: unknown, where: string, operationId?: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const isText = key === 'description' || key === 'summary' || (key === 'message' && where.endsWith('/value'));
      if (isText && typeof value === 'string') {
        prose.push({ where: `${where}/${key}`, text: withoutFences(value), ...(operationId && { operationId }) });
      } else if (key !== 'paths') ofNode(value, `${where}/${key}`, operationId);
    }
  };
  ofNode(contract, 'openapi.json#');
  for (const item of Object.values(contract.paths)) {
    for (const method of httpMethods) {
      const operation = item[method] as Operation | undefined;
      if (operation !== undefined) ofNode(operation, operation.operationId, operation.operationId);
    }
  }
  return prose;
}

function withoutFences(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}
