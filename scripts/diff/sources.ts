/**
 * Reads the two sides of a comparison: a published version, a git ref, an OpenAPI file, or the files of the working
 * tree.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { createLocator, type Locate } from '../lib/places.ts';
import { readVersions, type Version } from '../lib/versions.ts';
import { CannotCompare } from './compare.ts';

const execute = promisify(execFile);

/** A contract as one document, with a name for it. */
export interface Bundle {
  readonly name: string;
  readonly contract: ContractDocument;
  /** Finds a pointer in the contract's files, if they are still in the working tree. */
  readonly locate?: Locate;
}

/** The contract in the working tree. @param file its root document, from `root`. */
export async function readWorkingTree(root: string, file: string): Promise<Bundle> {
  if (!existsSync(join(root, file))) {
    throw new CannotCompare(`There is no ${file} in ${root}. Name the contract's file with --contract.`);
  }
  return { name: 'the working tree', contract: await bundle(root, file), locate: createLocator(root, file) };
}

/**
 * The newest published version of the contract, or undefined if there is none. Throws CannotCompare if one was changed.
 */
export async function readNewestVersion(root: string, file: string): Promise<Bundle | undefined> {
  const newest = (await readPublished(root, file)).at(-1);
  return newest === undefined ? undefined : bundleOf(newest);
}

async function readPublished(root: string, file: string): Promise<readonly Version[]> {
  const { versions, faults } = await readVersions(root, file);
  if (faults.length > 0) throw new CannotCompare(faults.join('\n'));
  return versions;
}

function bundleOf({ name, text }: Version): Bundle {
  return { name, contract: JSON.parse(text) as ContractDocument };
}

/**
 * The contract as a published version, at a git ref, or in a file.
 *
 * @param root the git repository, which the paths of files start from
 * @param named a published version, a branch, tag or commit, or the path of an OpenAPI file. A version or a file wins
 * over a ref with the same name
 * @param file the root document of the contract in the repository
 * @throws CannotCompare with the cause and what to do.
 */
export async function readNamed(root: string, named: string, file: string): Promise<Bundle> {
  const path = resolve(root, named);
  if (/\.(?:json|ya?ml)$/.test(named)) {
    if (!existsSync(path)) throw new CannotCompare(`There is no file ${path}.`);
    const contract = await bundle(dirname(path), basename(path));
    return { name: named, contract, locate: createLocator(root, named) };
  }
  const published = (await readPublished(root, file)).find(({ name }) => name === named);
  if (published !== undefined) return bundleOf(published);
  // A branch that was fetched but never checked out exists only under origin.
  const commit = (await commitOf(root, named)) ?? (await commitOf(root, `origin/${named}`));
  if (commit === undefined) {
    throw new CannotCompare(
      `Git knows no ref ${named} here. If it exists elsewhere, fetch it: git fetch origin ${named}. In GitHub Actions, ` +
        'give actions/checkout `fetch-depth: 0`.',
    );
  }
  return { name: named === commit ? commit.slice(0, 10) : named, contract: await atCommit(root, commit, named, file) };
}

/**
 * What to compare with if nothing is named and no version is published: the commit where this branch left origin's
 * main, or on main the previous commit.
 *
 * @returns undefined in a repository with a single commit
 */
export async function defaultBase(root: string): Promise<string | undefined> {
  const head = await git(root, 'rev-parse', 'HEAD');
  if (head === undefined) throw new CannotCompare(`${root} isn't a git repository with a commit. Name a file as BASE.`);
  const branched = await git(root, 'merge-base', 'HEAD', 'origin/main');
  if (branched !== undefined && branched !== head) return branched;
  const before = await git(root, 'rev-parse', '--verify', '--quiet', 'HEAD~1');
  if (before === undefined && (await git(root, 'rev-parse', '--is-shallow-repository')) === 'true') {
    throw new CannotCompare('This clone has one commit only. Give actions/checkout `fetch-depth: 0`, or name a BASE.');
  }
  return before;
}

async function atCommit(root: string, commit: string, ref: string, file: string): Promise<ContractDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-ref-'));
  try {
    // The contract's own folder is enough, unless the contract is at the top. The folders beside it may be large.
    const part = file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
    const archive = join(folder, 'ref.tar');
    const made = await git(root, 'archive', `--output=${archive}`, commit, '--', part);
    const tree = join(folder, 'tree');
    await mkdir(tree);
    if (made !== undefined) await execute('tar', ['-xf', archive, '-C', tree]);
    if (!existsSync(join(tree, file)))
      throw new CannotCompare(`${ref} has no ${file}: there is nothing to compare with.`);
    return await bundle(tree, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bundle(root: string, file: string): Promise<ContractDocument> {
  const whole = file.endsWith('.json') ? await wholeDocument(join(root, file)) : undefined;
  if (whole !== undefined) return whole;
  try {
    return asContract(JSON.parse(await bundleContract(root, file)), file);
  } catch (error) {
    if (error instanceof CannotCompare) throw error;
    throw new CannotCompare(`${error instanceof Error ? error.message : error}`);
  }
}

/** A JSON document that refers only to itself needs no bundler. */
async function wholeDocument(path: string): Promise<ContractDocument | undefined> {
  const text = await readFile(path, 'utf8');
  if (/"\$ref"\s*:\s*"[^#"]/.test(text)) return undefined;
  try {
    return asContract(JSON.parse(text), path);
  } catch (error) {
    if (error instanceof CannotCompare) throw error;
    throw new CannotCompare(`${path} isn't JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function asContract(document: { openapi?: unknown; paths?: unknown }, file: string): ContractDocument {
  if (typeof document.openapi === 'string' && document.openapi.startsWith('3.') && typeof document.paths === 'object') {
    return document as ContractDocument;
  }
  throw new CannotCompare(`${file} isn't an OpenAPI 3 document with paths.`);
}

function commitOf(root: string, ref: string): Promise<string | undefined> {
  return git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
}

/** The trimmed output of git, or undefined if git failed. */
async function git(root: string, ...args: string[]): Promise<string | undefined> {
  try {
    return (await execute('git', args, { cwd: root, maxBuffer: 2 ** 26 })).stdout.trim();
  } catch {
    return undefined;
  }
}
