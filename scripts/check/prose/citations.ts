/** Finds comments that cite documents outside the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Documents that the project was made from and doesn't contain. A file `NAME.md` with the same name is another
 * document.
 */
const absent = ['INTERFACE', 'ARCHITECTURE'];

const folders = ['cli', 'client', 'conformance', 'contract', 'mcp', 'mocks', 'openapi', 'package', 'scripts', 'test'];
const source = /\.(?:ts|mjs|js|yaml)$/;
// In a comment, or in brackets as in a test's title.
const citation = new RegExp(`(?:^\\s*[*#]|/\\*|//|\\().*\\b(?:${absent.join('|')})\\b(?!\\.md)`);

/** Every such comment of a project, as `file:line: what is wrong`. */
export function findStrangeCitations(root: string): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        // The packages that a single long run needs are installed below its test.
        .filter((name) => source.test(name) && !name.split(/[\\/]/).includes('node_modules'))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
    )
    .sort()
    .flatMap((file) => strangeCitationsIn(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}:${fault}`));
}

/** The citations in the text of one file, as `line: what is wrong`. */
export function strangeCitationsIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, place) =>
      citation.test(line)
        ? [
            `${place + 1}: cites a document that isn't in the repository. Cite the decision (D07), the operation or ` +
              'schema of the contract, or state the fact.',
          ]
        : [],
    );
}
