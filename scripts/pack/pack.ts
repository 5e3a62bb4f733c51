/**
 * Packs the package from a folder of its own. npm always packs the README beside the manifest, and the repository's
 * README isn't the package's. So `npm pack` in the repository would need another README there while it runs.
 */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from '../build/build.ts';
import { projectRoot } from '../lib/project.ts';

export interface Packed {
  readonly tarball: string;
  /** The paths in the package, sorted, with their sizes in bytes. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Size of the tarball in bytes. */
  readonly size: number;
}

/**
 * Builds and packs the package. Needs no network, and writes only the tarball.
 *
 * @param folder where the tarball goes; one of the same name is replaced, all at once
 * @throws Error if the build or npm fails.
 */
export async function packPackage(folder: string): Promise<Packed> {
  const stage = await mkdtemp(join(tmpdir(), 'countersign-pack-'));
  try {
    const content = join(stage, 'package');
    await stagePackage(content);
    const { filename, ...report } = await npmPack(content, stage);
    await mkdir(folder, { recursive: true });
    const [tarball, part] = [join(folder, filename), join(folder, `.${process.pid}-${filename}`)];
    // A tarball that is written in place would be half a one for a moment, and a hard link to it would change too.
    await copyFile(join(stage, filename), part);
    await rename(part, tarball);
    return { ...report, tarball };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Writes everything that the manifest lists into a folder, and what npm adds by itself. */
async function stagePackage(content: string): Promise<void> {
  await buildPackage(join(content, 'dist'));
  const { files } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as { files: string[] };
  for (const path of [...files.filter((path) => path !== 'dist'), 'package.json', 'LICENSE']) {
    await cp(join(projectRoot, path), join(content, path), { recursive: true });
  }
  await cp(join(projectRoot, 'package/README.md'), join(content, 'README.md'));
}

type Report = Omit<Packed, 'tarball'> & { readonly filename: string };

async function npmPack(content: string, destination: string): Promise<Report> {
  // Without scripts, because the manifest's `prepack` refuses.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: content });
  const [report] = JSON.parse(stdout) as Report[];
  if (report === undefined) throw new Error(`npm pack reports nothing: ${stdout}`);
  return report;
}
