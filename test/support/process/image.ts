/** The image that the Dockerfile describes, as far as it can be had without Docker: its files in a folder, its settings. */
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { projectRoot } from '../../../scripts/lib/project.ts';

/** An instruction with its words, `--flags` apart. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The rest as it stands. */
  readonly text: string;
}

/** Reads a Dockerfile: comments left out, continued lines joined; a list of stages, each begun by its FROM. */
export function readDockerfile(text: string): Instruction[][] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const [, name = '', marks = '', rest = ''] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`The Dockerfile has a line that is no instruction: ${line}`);
    const flags = Object.fromEntries([...marks.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key, value]));
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, flags, text: rest.trim() });
  }
  return stages;
}

/** What a command in the form of a list says. @throws SyntaxError for the form that a shell would read. */
export function commandOf(text: string): string[] {
  return JSON.parse(text.replace(/^CMD /, '')) as string[];
}

/**
 * Carries out the COPY lines of a stage below a folder. Packages of the dependencies' stage are linked to those installed
 * here, but only what `npm ci --omit=dev` would have put there.
 * @returns the paths that came from the build context.
 */
export function layOut(stage: readonly Instruction[], folder: string): string[] {
  const taken: string[] = [];
  for (const { flags, text } of stage.filter(({ name }) => name === 'COPY')) {
    const words = text.split(/\s+/);
    const target = words.at(-1) ?? '';
    for (const source of words.slice(0, -1)) {
      const to = target === './' ? join(folder, source) : resolve(folder, target);
      mkdirSync(dirname(to), { recursive: true });
      if (flags['from'] === 'dependencies') linkDependencies(to);
      else if (flags['from'] !== undefined) cpSync(join(projectRoot, source.replace('/app/', '')), to);
      else {
        const ignored = ignoredBelow(source);
        cpSync(join(projectRoot, source), to, { recursive: true, filter: (path) => !ignored.includes(path) });
        taken.push(source);
      }
    }
  }
  return taken;
}

/** The lines of .dockerignore that take something out of what another line lets in. */
function ignoredBelow(source: string): string[] {
  const lines = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${source}/`)).map((line) => join(projectRoot, line));
}

function linkDependencies(folder: string): void {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || dev === true || devOptional === true) continue;
    const link = join(folder, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, path), link, 'junction');
  }
}

/** Gives a folder to another user and everything above it the right to be entered. */
export function giveTo(folder: string, owner: { uid: number; gid: number }): void {
  chownSync(folder, owner.uid, owner.gid);
  chmodSync(dirname(folder), 0o755);
}
