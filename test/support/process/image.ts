/** Builds the Dockerfile's image as far as possible without Docker: its files in a folder, and its settings. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { projectRoot } from '../../../scripts/lib/project.ts';

/** An instruction with its words; `--flags` are separate. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The rest of the line, unchanged. */
  readonly text: string;
}

/**
 * Reads a Dockerfile without comments and with continued lines joined. Returns a list of stages; each begins with its
 * FROM.
 */
export function readDockerfile(text: string): Instruction[][] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const [, name = '', marks = '', rest = ''] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`The Dockerfile has a line that isn't an instruction: ${line}`);
    const flags = Object.fromEntries([...marks.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key, value]));
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, flags, text: rest.trim() });
  }
  return stages;
}

/** The words of a command in list form. @throws SyntaxError for the form that a shell would read. */
export function commandOf(text: string): string[] {
  return JSON.parse(text.replace(/^CMD /, '')) as string[];
}

/** The paths that .dockerignore allows. */
export function readContext(): string[] {
  const lines = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

const importing = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/**
 * The files that the build reads because something imports them: from the build script, the entries of the package and
 * its command on.
 *
 * @returns paths from the project's root.
 */
export function findImportsOfBuild(): string[] {
  const found = new Set<string>();
  const waiting = ['scripts/build/main.ts', 'cli/main.ts', ...globSync('package/*.ts', { cwd: projectRoot })];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file) || !existsSync(join(projectRoot, file))) continue;
    found.add(file);
    for (const [, path = ''] of readFileSync(join(projectRoot, file), 'utf8').matchAll(importing)) {
      waiting.push(join(dirname(file), path));
    }
  }
  return [...found].sort();
}

/**
 * Runs the build of the first stage on the files that .dockerignore allows, and nothing else of the project.
 *
 * @returns the folder that is `/app` there.
 */
export function runBuild(stage: readonly Instruction[], folder: string): string {
  for (const path of readContext()) cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const build = stage.filter(({ name, text }) => name === 'RUN' && !text.startsWith('npm ci')).map(({ text }) => text);
  for (const line of build) {
    const [program = '', ...args] = line.split(' ');
    execFileSync(program === 'node' ? process.execPath : program, args, { cwd: folder, stdio: 'pipe' });
  }
  return folder;
}

/**
 * Runs the COPY lines of a stage below a folder.
 *
 * @param built the content of `/app` in the stage that it copies from.
 * @returns the paths that came from the build context.
 */
export function layOut(stage: readonly Instruction[], folder: string, built: string): string[] {
  const taken: string[] = [];
  for (const { flags, text } of stage.filter(({ name }) => name === 'COPY')) {
    const words = text.split(/\s+/);
    const target = words.at(-1) ?? '';
    for (const source of words.slice(0, -1)) {
      const to = target.endsWith('/') ? join(folder, target, basename(source)) : resolve(folder, target);
      const from = flags['from'] === undefined ? join(projectRoot, source) : join(built, source.replace('/app/', ''));
      cpSync(from, to, { recursive: true });
      if (flags['from'] === undefined) taken.push(source);
    }
  }
  return taken;
}

/** Gives a folder to another user, and makes everything above it accessible. */
export function giveTo(folder: string, owner: { uid: number; gid: number }): void {
  chownSync(folder, owner.uid, owner.gid);
  chmodSync(dirname(folder), 0o755);
}
