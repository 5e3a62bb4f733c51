/** Packs the package with npm and installs it into an empty project, as a user does. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onceDone } from '../../../contract/memoize.ts';
import { buildPackage } from '../../../scripts/build/build.ts';
import { projectRoot } from '../../../scripts/lib/project.ts';
import { runTool } from '../../../scripts/lib/tool.ts';

const execute = promisify(execFile);

export interface Packed {
  readonly tarball: string;
  /** The paths in the package, sorted, with their sizes in bytes. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Size of the tarball in bytes. */
  readonly size: number;
}

export interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly typesVersions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/**
 * Packs like `npm pack`, but without its scripts. Those replace the project's README for a moment, and other tests read
 * it (scripts/pack/main.ts, which pack.long.test.ts runs in a copy). Needs no network.
 */
export async function packInto(folder: string): Promise<Packed> {
  const stage = join(folder, 'packed');
  await buildPackage(join(stage, 'dist'));
  const { files } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { files: string[] };
  for (const path of [...files.filter((path) => path !== 'dist'), 'package.json', 'LICENSE']) {
    cpSync(join(projectRoot, path), join(stage, path), { recursive: true });
  }
  cpSync(join(projectRoot, 'package/README.md'), join(stage, 'README.md'));
  return runPack(stage, folder, ['--ignore-scripts']);
}

/** Runs `npm pack` in a folder. */
export async function runPack(folder: string, destination: string, flags: readonly string[] = []): Promise<Packed> {
  const args = ['pack', '--json', '--pack-destination', destination, ...flags];
  const { stdout } = await execute('npm', args, { cwd: folder });
  // Some versions of npm announce the build on stdout first.
  const [report] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as (Omit<Packed, 'tarball'> & {
    filename: string;
  })[];
  if (report === undefined) throw new Error(`npm pack reports nothing: ${stdout}`);
  return { ...report, tarball: join(destination, report.filename) };
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
