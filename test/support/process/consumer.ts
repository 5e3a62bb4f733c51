/** Installs the packed package into an empty project, as a user does. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onceDone } from '../../../contract/memoize.ts';
import { projectRoot } from '../../../scripts/lib/project.ts';
import { runTool } from '../../../scripts/lib/tool.ts';
import type { Packed } from '../../../scripts/pack/pack.ts';

const execute = promisify(execFile);

export interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly typesVersions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/** A project that has installed the package. Besides it, the project has only what the package's manifest asks for. */
export class Consumer {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Unpacks the tarball where npm would, and links each of its dependencies to the one installed here. So a dependency
   * that the manifest doesn't name is missing, and no request goes to a registry.
   */
  static async install(folder: string, { tarball }: Packed): Promise<Consumer> {
    const consumer = new Consumer(folder);
    const installed = consumer.packageFolder;
    mkdirSync(installed, { recursive: true });
    await execute('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    for (const name of Object.keys(consumer.manifest.dependencies)) consumer.link(name);
    const strict = {
      compilerOptions: {
        module: 'nodenext',
        outDir: 'out',
        rootDir: 'src',
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        resolveJsonModule: true,
        types: [],
      },
      include: ['src'],
    };
    consumer.write('tsconfig.json', JSON.stringify(strict));
    consumer.write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
    return consumer;
  }

  get packageFolder(): string {
    return join(this.folder, 'node_modules/countersign');
  }

  get manifest(): Manifest {
    return JSON.parse(readFileSync(join(this.packageFolder, 'package.json'), 'utf8')) as Manifest;
  }

  /** Makes a package that is installed here available to the consumer. */
  link(name: string): void {
    const link = join(this.folder, 'node_modules', name);
    if (existsSync(link)) return;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), link, 'junction');
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  readJson<T>(path: string): T {
    return JSON.parse(readFileSync(join(this.folder, path), 'utf8')) as T;
  }

  /**
   * Compiles `src/` into `out/`, once, and returns the compiler's output; empty without errors. Other compiler versions:
   * matrix.long.test.ts.
   */
  readonly compile: () => Promise<string> = onceDone(async () => {
    const { code, output } = await runTool(['typescript-native', 'tsc'], ['-p', this.folder], this.folder);
    return code === 0 || output !== '' ? output : `The compiler ended with ${code}.`;
  });

  /** The compiler's output for some files, without writing JavaScript. */
  async check(files: readonly string[], options: readonly string[] = []): Promise<string> {
    const args = ['--noEmit', '--strict', '--module', 'nodenext', ...options, ...files];
    return (await runTool(['typescript', 'tsc'], args, this.folder)).output;
  }

  /** Runs a file with this Node and returns its output. Rejects with its stderr if it fails. */
  async run(path: string, ...args: string[]): Promise<string> {
    const { stdout } = await execute(process.execPath, [path, ...args], { cwd: this.folder });
    return stdout;
  }
}
