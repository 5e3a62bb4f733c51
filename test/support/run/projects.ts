/**
 * Decides which of Vitest's five projects a test file runs in. It reads what the file imports, so a new file needs no
 * entry anywhere.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Test files of each project, as paths from the project's root. A file may run on PostgreSQL and elsewhere. */
export interface Projects {
  readonly inProcess: readonly string[];
  readonly processes: readonly string[];
  /** Files that share a process with no other file. */
  readonly alone: readonly string[];
  readonly postgres: readonly string[];
  /** Files that also run against the sandbox in a page. */
  readonly chromium: readonly string[];
}

/** Imports that start a process. */
const starters = /^(?:node:child_process|playwright-core)$/;
/** Imports that start a thread, or measure the heap, which other files in the process would fill. */
const unshared = /^node:(?:worker_threads|cluster|v8)$/;
// An engine that fails must not share a process, whatever its files import.
const aloneByFolder = /^test\/crash\//;
// Tests of pure calculations, which don't depend on the engine.
const pure = /\/(?:rules|amounts)\.test\.ts$/;
// Imports of a store test that uses the project's engine, and of one that opens its own.
const anyEngine = /^import \{[^}]*\b(?:openStore|makePlace|makePlaceFlags|engine)\b[^}]*\} from '[^']*\/database\.ts'/m;
const ownPostgres = /^import \{[^}]*\bmakeDatabase\b[^}]*\} from '[^']*\/database\.ts'|\/postgresServer\.ts'/m;
const anySandbox = /\bopenSandbox\(\)/;
const ownSqlite = /\/node\/sqlite\/sqlite\.ts'|'node:sqlite'/;
/**
 * Tests of the store, which every run repeats on PostgreSQL, and of its crashes, which only the long run repeats there.
 */
const stores = /^test\/(?:store|crash)\//;
const crashes = /^test\/crash\//;
/** Twenty requests or more at once, which can fail on an engine that isn't serial. */
const race = /Promise\.all\(\s*Array\.from\(\{ length: (?:[2-9]\d|\d{3,})\b/;
/** Files of the long run only. */
const isLong = /\.long\.test\.ts$/;
/**
 * The domains with the most behaviour behind HTTP, and the recordings, which every engine must answer in the same way.
 */
const domains = /^test\/(?:(?:auth|quotes|transfers|agents)\/|conformance\/replayed\.test\.ts$)/;

/**
 * Sorts the test files below a folder.
 *
 * @param root the project's folder.
 * @param isEverything whether to run the files `*.long.test.ts`, and on PostgreSQL every file of the domains above.
 * Otherwise only their files that send twenty requests or more at once run there, because `test/store` already tests
 * everything that the others need from the store.
 */
export function sortTestFiles(root: string, { isEverything }: { readonly isEverything: boolean }): Projects {
  const read = reader(root);
  const inProcess: string[] = [];
  const processes: string[] = [];
  const alone: string[] = [];
  const postgres: string[] = [];
  const chromium: string[] = [];
  for (const file of globSync('test/**/*.test.ts', { cwd: root }).map(withSlashes).sort()) {
    if (isLong.test(file) && !isEverything) continue;
    const { engine, isConcurrent } = read(file);
    const isOfStore = stores.test(file);
    const isOfDomain = domains.test(file) && !pure.test(file) && (isEverything || isConcurrent);
    const isOnPostgres = isOfDomain || (isOfStore && (isEverything || !crashes.test(file)));
    if (isOnPostgres && engine !== 'SQLite') postgres.push(file);
    if (isEverything && domains.test(file) && !pure.test(file)) chromium.push(file);
    if (isOfStore && engine === 'PostgreSQL') continue;
    if (aloneByFolder.test(file) || reaches(unshared, file, read)) alone.push(file);
    else (reaches(starters, file, read) ? processes : inProcess).push(file);
  }
  return { inProcess, processes, alone, postgres, chromium };
}

/** Whether a file, or one that it imports by a relative path, imports a module whose name matches. */
function reaches(
  names: RegExp,
  file: string,
  read: (file: string) => SourceFile,
  seen: Set<string> = new Set<string>(),
): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const { imports } = read(file);
  return imports.some((name) => names.test(name) || (name.endsWith('.ts') && reaches(names, name, read, seen)));
}

interface SourceFile {
  /** Names of packages, and paths from the root of existing files. Type imports are left out. */
  readonly imports: readonly string[];
  /** The only engine that the file can test. */
  readonly engine: 'any' | 'PostgreSQL' | 'SQLite';
  /** Whether it sends twenty requests or more at once. */
  readonly isConcurrent: boolean;
}

const importing = /^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm;

function reader(root: string): (file: string) => SourceFile {
  const known = new Map<string, SourceFile>();
  return (file) => {
    let found = known.get(file);
    if (found === undefined) {
      const text = readFileSync(join(root, file), 'utf8');
      const names = [...text.matchAll(importing)].map(([, still, moving]) => still ?? moving ?? '');
      const paths = names.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name)).map(withSlashes);
      const imports = paths.filter((path, index) => !names[index]?.startsWith('.') || existsSync(join(root, path)));
      found = { imports, engine: engineOf(text), isConcurrent: race.test(text) };
      known.set(file, found);
    }
    return found;
  };
}

function engineOf(text: string): SourceFile['engine'] {
  if (anyEngine.test(text)) return 'any';
  if (ownPostgres.test(text)) return 'PostgreSQL';
  if (anySandbox.test(text)) return 'any';
  return ownSqlite.test(text) ? 'SQLite' : 'any';
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}
