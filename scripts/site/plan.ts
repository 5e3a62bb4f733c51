/** Makes all files of the site as texts by their paths. */
import { stringify } from 'yaml';
import { readContract } from '../../contract/contract.ts';
import { operations } from '../../generated/operations.ts';
import { style } from '../../mocks/sandbox/transport/html.ts';
import { referencePlatform } from '../../mocks/sandbox/worlds/examples/page.ts';
import { parseChangelog, readChangelog } from '../diff/changelog.ts';
import { generateAll } from '../generate/main.ts';
import { writeReference } from '../generate/reference.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { readVersions } from '../lib/versions.ts';
import { type Corrections, changelogText, compareVersions, type SiteVersion } from './changes.ts';
import { addConsole } from './console.ts';
import { addDocs } from './docs.ts';
import { writeMarkdown } from './llms.ts';
import { changelogPage, startPage } from './pages.ts';

export interface SiteOptions {
  /** The project: its contract is `openapi/openapi.yaml`. */
  readonly root: string;
  /** The address that the site will have. Without it, links in `llms.txt` are relative. */
  readonly base?: string | undefined;
  /** Is called when a part is done. */
  readonly progress?: (line: string) => void;
}

const contractFile = 'openapi/openapi.yaml';
const unreleased = 'unreleased';
/** Styles that the documentation needs in addition to those of our small pages. */
const docsStyle = `.docs ul, .docs ol { padding-left: 1.25rem; border: 0; list-style: revert; }
.docs li { padding: .15rem 0; border: 0; color: inherit; }
.docs li code { display: inline; }
.docs pre { margin: 0 0 .75rem; }
.docs table { display: block; margin: 0 0 .75rem; overflow-x: auto; border-collapse: collapse; }
.docs th, .docs td { padding: .35rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
.docs img { max-width: 100%; }
.docs input { font: inherit; padding: .35rem .6rem; }
`;

const generatedReference = 'generated/reference/';

/**
 * Makes the site. Its root has the project's current contract with its guides. Below `versions/` each published version
 * keeps its address and its bytes. Unpublished changes are there too, as `unreleased`.
 *
 * @returns the text of each file by its path in the site, except `reference/scalar.js`, which is copied from a package
 * @throws Error with the cause and the repair if a published version was changed or there is none
 */
export async function planSite({ root, base, progress = () => {} }: SiteOptions): Promise<Map<string, string>> {
  const { versions: published, faults } = await readVersions(root, contractFile);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (published.length === 0) {
    throw new Error('No version of the contract is published. Publish one: npm run bless -- DATE');
  }
  const bundle = await bundleContract(root, contractFile);
  const generated = await generateAll(root, undefined, () => Promise.resolve(bundle));
  progress('contract and reference');
  const versions = published.map(({ name, text }) => ({ name, text, contract: JSON.parse(text) as ContractDocument }));
  if (versions.at(-1)?.text !== bundle) {
    versions.push({ name: unreleased, text: bundle, contract: JSON.parse(bundle) as ContractDocument });
  }
  const names = versions.map(({ name }) => name).toReversed();
  const current = generated.get('generated/openapi.json') ?? '';
  const files = new Map<string, string>();
  addContract(files, '', current);
  for (const [path, text] of generated) {
    if (path.startsWith(generatedReference)) files.set(`reference/${path.slice(generatedReference.length)}`, text);
  }
  const sandbox = sandboxInPage(JSON.parse(current) as ContractDocument);
  files.set('reference/settings.js', settingsFor({ name: names[0] ?? '', names, toRoot: '../', sandbox }));
  addConsole(files, generated, sandbox);
  for (const { name, text, contract } of versions) {
    addContract(files, `versions/${name}/`, text);
    const shown = name === names[0] ? generated : new Map(await writeReference(text, descriptionOf(text)));
    // The sandbox serves only one version, so pages of other versions can't call it.
    const own = basePathOf(contract) === sandbox.basePath ? { sandbox } : {};
    addReference(files, { name, names, page: shown.get(`${generatedReference}index.html`) ?? '', ...own });
    progress(`version ${name}`);
  }
  await addChangelog(files, versions, await readCorrections(root));
  progress('changelog');
  const contract = JSON.parse(current) as ContractDocument;
  const { title = '', summary = '' } = contract.info ?? {};
  const entries = names.map((name) => ({ name, folder: `versions/${name}` }));
  files.set('site.css', `${style.trimStart()}${docsStyle}`);
  const prefix = base === undefined || base.endsWith('/') ? (base ?? '') : `${base}/`;
  for (const [path, text] of writeMarkdown(contract, prefix)) files.set(path, text);
  progress('Markdown pages');
  addDocs(files, root);
  files.set('index.html', startPage(title, summary, entries, files.has('docs/index.html')));
  progress('documentation');
  return files;
}

async function readCorrections(root: string): Promise<Corrections> {
  const { entries } = parseChangelog(await readChangelog(root, contractFile));
  return (version, subject) =>
    (entries.get(version === unreleased ? 'Unreleased' : version) ?? []).some(
      (entry) => entry.level === 'correction' && entry.subject === subject,
    );
}

async function addChangelog(
  files: Map<string, string>,
  versions: readonly SiteVersion[],
  corrections: Corrections,
): Promise<void> {
  const steps = await compareVersions(versions, corrections);
  const oldest = versions[0]?.name ?? '';
  files.set('changelog.md', changelogText(steps, oldest));
  files.set('changelog/index.html', changelogPage(steps, oldest));
}

function descriptionOf(text: string): string {
  return (JSON.parse(text) as ContractDocument).info?.description ?? '';
}

function addContract(files: Map<string, string>, folder: string, json: string): void {
  files.set(`${folder}openapi.json`, json);
  const yaml = stringify(JSON.parse(json), { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 });
  files.set(`${folder}openapi.yaml`, yaml);
}

interface ReferenceOptions {
  readonly name: string;
  readonly names: readonly string[];
  /** The page, as it would be in `reference/`. */
  readonly page: string;
  readonly sandbox?: SandboxInPage;
}

/** Adds the reference of a version. Scalar and the other shared files are in `reference/` once. */
function addReference(files: Map<string, string>, { page, ...options }: ReferenceOptions): void {
  const folder = `versions/${options.name}/reference/`;
  const shared = page
    .replaceAll(/(src|href)="((?:scalar|page|sandbox)\.[^"]*)"/g, '$1="../../../reference/$2"')
    .replaceAll('](control.html)', '](../../../reference/control.html)');
  files.set(`${folder}index.html`, shared);
  files.set(`${folder}settings.js`, settingsFor({ ...options, toRoot: '../../../' }));
}

interface PageSettings extends Omit<ReferenceOptions, 'page'> {
  /** The relative path to the site's root. */
  readonly toRoot: string;
}

/** The settings of the reference page: the site around it, and the sandbox in the page. */
function settingsFor({ name, names, toRoot, sandbox }: PageSettings): string {
  const site = {
    current: name,
    start: `${toRoot}index.html`,
    changelog: `${toRoot}changelog/index.html`,
    ...(sandbox === undefined ? {} : { console: `${toRoot}console/index.html` }),
    versions: names.map((each) => ({ name: each, href: `${toRoot}versions/${each}/reference/index.html` })),
  };
  const { basePath, ...access } = sandbox ?? {};
  const tried = sandbox === undefined ? {} : { inPage: { worker: `${toRoot}service-worker.js`, basePath }, ...access };
  return `globalThis.countersign = ${JSON.stringify({ site, ...tried }, null, 2)};\n`;
}

/** The requests of the page use this (worlds/examples/page.ts). */
interface SandboxInPage {
  readonly basePath: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly agentToken: string;
  readonly canStartOver: true;
}

function sandboxInPage(contract: ContractDocument): SandboxInPage {
  const { clientId, clientSecret } = referencePlatform;
  const agentToken = exampleAgentToken(contract);
  return { basePath: basePathOf(contract), clientId, clientSecret, agentToken, canStartOver: true };
}

function basePathOf({ servers }: ContractDocument): string {
  return new URL(servers?.[0]?.url ?? 'http://localhost/').pathname;
}

/** The first access token of the world's agent, from the contract's example. */
function exampleAgentToken(document: ContractDocument): string {
  const operation = operations.find(({ id }) => id === 'redeemAgentDeviceCode');
  const contract = readContract(structuredClone(document) as unknown as Record<string, unknown>);
  const [shown] = operation === undefined ? [] : contract.examples(operation, 200);
  return String((shown?.value as Record<string, unknown> | undefined)?.['accessToken']);
}
