/**
 * Runs the snippets of a guide unchanged. A mark `<!-- snippet: mark -->` above a code block says which blocks belong
 * together.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { browserTypeErrors } from '../browser/browserTypes.ts';
import { startSandbox } from '../process/process.ts';
import { temporaryFolder } from '../sandbox/folder.ts';

const root = new URL('../../../', import.meta.url).pathname;
const execute = promisify(execFile);

export interface Guide {
  readonly text: string;
  /** The code of every snippet with that mark, in order. */
  snippets(mark: string): string;
}

/** Reads a guide. @param path from the project's folder. */
export function readGuide(path: string): Guide {
  const text = readFileSync(join(root, path), 'utf8');
  const blocks = [...text.matchAll(/<!-- snippet: (\w+) -->\n```\w+\n([\s\S]*?)```/g)];
  return {
    text,
    snippets(mark) {
      const found = blocks.filter(([, name]) => name === mark).map(([, , code]) => code);
      if (found.length === 0) throw new Error(`${path} has no snippet ${mark}`);
      return found.join('\n');
    },
  };
}

/**
 * Runs shell lines against another sandbox instead of the one on the default port, and returns their output.
 * @param address its host and port; by default those of a new sandbox.
 */
export async function runShell(code: string, address?: string): Promise<string> {
  const usual = 'localhost:4010';
  const moved = code.includes(usual) ? code.replaceAll(usual, address ?? (await freshAddress())) : code;
  const { stdout } = await execute('bash', ['-euo', 'pipefail', '-c', moved], { cwd: root });
  return stdout;
}

/** Runs TypeScript in a process in the same way. Its relative imports start at the project's folder. */
export async function runTypeScript(code: string, address?: string): Promise<string> {
  const file = writeTypeScript(code.replaceAll('localhost:4010', address ?? (await freshAddress())));
  const { stdout } = await execute(process.execPath, [file], { cwd: root });
  return stdout;
}

/** The type errors of TypeScript code for a browser. Its relative imports start at the project's folder. */
export function typeErrors(...codes: readonly string[]): string[] {
  return browserTypeErrors(codes.map(writeTypeScript));
}

function writeTypeScript(code: string): string {
  const file = join(temporaryFolder(), 'snippet.ts');
  writeFileSync(file, code.replaceAll("'./", `'${root}`));
  return file;
}

async function freshAddress(): Promise<string> {
  const { port } = await startSandbox(['--data', ':memory:']);
  return `localhost:${port}`;
}
