/**
 * Promise: the result of `npm pack` can be installed into an empty strict project, and works there for ES modules and
 * for CommonJS. Every type is there by name, every union narrows, one-time secrets are only where they belong, and a
 * sandbox runs in process.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { controlCalls } from '../../generated/controlCalls.ts';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import { bundledPackages, externalPackages } from '../../scripts/build/packages.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runTool } from '../../scripts/lib/tool.ts';
import { type Packed, packPackage } from '../../scripts/pack/pack.ts';
import { Consumer } from '../support/process/consumer.ts';
import { findOldNode } from '../support/process/oldNode.ts';
import { run } from '../support/process/process.ts';
import { readGuide } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';
import { rows } from './matrix/rows.ts';
import { typedProgram } from './matrix/usage.ts';
import { typesModule } from './narrowing.ts';

const contract = bundle as unknown as ContractDocument;

let folder: string;
let packed: Packed;
let consumer: Consumer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-package-'));
  packed = await packPackage(folder);
  consumer = await Consumer.install(join(folder, 'consumer'), packed);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The anchor of a heading, by the rule of GitHub and npm. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

describe('the tarball', () => {
  const inside = (): string[] => packed.files.map(({ path }) => path);
  const read = (path: string): string => readFileSync(join(consumer.packageFolder, path), 'utf8');

  test('holds what it runs on, its declarations, contract and reference, and nothing to build or test them with', () => {
    const code = /^dist\/(?:browser|cli|client|package|sandbox)\/[\w-]+\.js$/;
    const page = [...new Set([...readdirSync(join(projectRoot, 'generated/reference')), 'scalar.js'])].sort();
    const filesOf = (folder: string) =>
      readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true });
    const isCollection = (path: string): boolean => path.startsWith('dist/generated/collections/');
    const isConsole = (path: string): boolean => path.startsWith('dist/generated/console/');
    for (const [isInside, folder] of [
      [isCollection, 'generated/collections'],
      [isConsole, 'generated/console'],
    ] as const) {
      expect(inside().filter(isInside)).toHaveLength(filesOf(folder).filter((entry) => entry.isFile()).length);
    }
    const isOther = (path: string) =>
      !code.test(path) && !path.endsWith('.d.ts') && !isCollection(path) && !isConsole(path);
    const others = inside().filter(isOther);
    expect(others).toEqual([
      'LICENSE',
      'README.md',
      'cli/countersign.mjs',
      'dist/browser/sqlite3.wasm',
      'dist/generated/control.json',
      'dist/generated/openapi.json',
      ...page.map((name) => `dist/generated/reference/${name}`),
      'dist/redocly.yaml',
      'dist/THIRD-PARTY-LICENSES.txt',
      'mocks/lifecycle.mjs',
      'package.json',
    ]);
    expect(inside().filter((path) => /prism|scripts|(?:^|\/)test\//.test(path))).toEqual([]);
    expect(packed.size).toBeLessThan(4_500_000);
  });

  test('has the declarations that its entries lead to, and no others', () => {
    expect(inside().filter((path) => path.endsWith('.d.ts'))).toEqual([
      'dist/client/bytes.d.ts',
      'dist/client/index.d.ts',
      'dist/client/keys.d.ts',
      'dist/client/passkeys.d.ts',
      'dist/client/payloadToSign.d.ts',
      'dist/client/signedRetry.d.ts',
      'dist/contract/encodings.d.ts',
      'dist/generated/client.d.ts',
      'dist/generated/controlCalls.d.ts',
      'dist/generated/controlClient.d.ts',
      'dist/generated/controlTypes.d.ts',
      'dist/generated/operations.d.ts',
      'dist/generated/types.d.ts',
      'dist/mocks/sandbox/worlds/shape.d.ts',
      'dist/package/browser.d.ts',
      'dist/package/codes.d.ts',
      'dist/package/control.d.ts',
      'dist/package/fixtures.d.ts',
      'dist/package/index.d.ts',
      'dist/package/jest.d.ts',
      'dist/package/msw.d.ts',
      'dist/package/playwright.d.ts',
      'dist/package/sandbox.d.ts',
      'dist/package/sandboxTypes.d.ts',
      'dist/package/signIn.d.ts',
      'dist/package/startWorker.d.ts',
      'dist/package/steering.d.ts',
      'dist/package/steeringTypes.d.ts',
      'dist/package/testing.d.ts',
      'dist/package/vitest.d.ts',
    ]);
  });

  test('its README is the package guide, whose links lead to what is there', () => {
    const text = read('README.md');
    expect(text).toBe(readGuide('package/README.md').text);
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = '']) => anchorOf(words));
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(3);
    const dead = links.filter((link) =>
      link.startsWith('#')
        ? !headings.includes(link.slice(1))
        : !inside().includes(link) && !link.startsWith('https://'),
    );
    expect(dead).toEqual([]);
  });

  test('offers its entries, each of them there', () => {
    const { exports, typesVersions } = consumer.manifest;
    expect(Object.keys(exports)).toEqual([
      '.',
      './client',
      './sandbox',
      './control',
      './testing',
      './playwright',
      './vitest',
      './jest',
      './browser',
      './msw',
      './start-worker',
      './service-worker.js',
      './sqlite3.wasm',
      './openapi.json',
      './control.json',
    ]);
    const targets = [exports, ...Object.values(typesVersions)].flatMap((map) =>
      Object.values<string | readonly string[] | Readonly<Record<string, string>>>(map).flatMap((entry) =>
        typeof entry === 'string' ? [entry] : Object.values<string>(entry),
      ),
    );
    expect(inside()).toEqual(expect.arrayContaining(targets.map((target) => target.replace('./', ''))));
  });

  test('imports its one dependency, and tools that it can do without; all else is inside', () => {
    const imported = new Set<string>();
    for (const path of inside().filter((name) => /\.(?:js|ts)$/.test(name) && !name.endsWith('/scalar.js'))) {
      const { importedFiles } = ts.preProcessFile(read(path), true, true);
      // Matches how rolldown writes the `require` of a CommonJS module.
      const required = [...read(path).matchAll(/__require\("([^"]+)"\)/g)].map(([, fileName = '']) => ({
        fileName,
      }));
      for (const { fileName } of [...importedFiles, ...required]) {
        if (fileName.startsWith('.') || isBuiltin(fileName)) continue;
        const [scope = '', name = ''] = fileName.split('/');
        imported.add(scope.startsWith('@') ? `${scope}/${name}` : scope);
      }
    }
    expect(Object.keys(consumer.manifest.dependencies)).toEqual(['openapi-fetch']);
    expect([...imported].sort()).toEqual([...externalPackages].sort());
  });

  test('goes with the licence of each package that is inside', () => {
    const words = read('dist/THIRD-PARTY-LICENSES.txt');
    for (const name of ['@scalar/api-reference', ...bundledPackages]) {
      const { version, license } = JSON.parse(
        readFileSync(join(projectRoot, 'node_modules', name, 'package.json'), 'utf8'),
      ) as { version: string; license: string };
      expect(words).toContain(`${name} ${version} (${license})\n`);
    }
    expect(words).toMatch(/\bpg-protocol \d[\s\S]*Permission is hereby granted/);
  });

  test('needs no script of its own while it is installed', () => {
    const { scripts } = consumer.manifest;
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
  });

  test('no module awaits while it loads, so that require() takes it', async () => {
    const probe =
      "for (const name of ['', '/client', '/sandbox', '/control', '/testing', '/jest']) require('countersign' + name); console.log('loaded');";
    const lazy = inside().find((path) => path.startsWith('dist/sandbox/inProcess-'));
    consumer.write('probe.cjs', `${probe}\nrequire('./node_modules/countersign/${lazy}');\n`);
    expect(await consumer.run('probe.cjs')).toBe('loaded\n');
  });

  test('publint has nothing to say', async () => {
    const tarball = await readFile(packed.tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: new Uint8Array(tarball).buffer },
      strict: true,
      level: 'suggestion',
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

const walk = `
const client = createServiceClient({
  baseUrl: sandbox.url,
  credentials: { clientId: 'sandbox', clientSecret: 'sandbox' },
  fetch: sandbox.fetch,
});
const { data, error } = await client.GET('/customers', { params: { query: { limit: 1 } } });
if (error) throw new Error(error.message);
const control = createControlClient({
  baseUrl: sandbox.url,
  credentials: { clientId: 'sandbox', clientSecret: 'sandbox' },
  fetch: sandbox.fetch,
});
const moved = await control.POST('/clock', { body: { advanceSeconds: 60 } });
if (moved.error) throw new Error(moved.error.message);
const steered: Control = createControl({ url: sandbox.url, credentials: sandbox.credentials, fetch: sandbox.fetch });
const platform: Platform = await steered.platform({ world: 'ready-made', proofs: undefined });
const { now, frozen } = await platform.control.clock.advance(60);
if (!frozen || (await sandbox.control.clock.get()).now !== now) throw new Error(now);
const { wallet, signer } = await signIn(platform, { credential: 'OAUTH', customer: { email: undefined }, balance: undefined });
const signed: string = await signer(wallet.id);
if (signed === '') throw new Error(wallet.id);
// @ts-expect-error: a clock goes forward only
platform.control.clock.rewind;
const signature: string = await sandboxSigner('anything');
await sandbox.close();
console.log(JSON.stringify([data.totalCount, signature, await narrow(data.data[0])]));
`;

const narrow = `
async function narrow(customer: Customer | undefined): Promise<string | undefined> {
  // @ts-expect-error: a person has no such field
  if (customer?.customerType === 'INDIVIDUAL') customer.businessInfo;
  return customer?.customerType === 'BUSINESS' ? customer.businessInfo?.legalName : customer?.fullName;
}
export const shown = (quote: Quote, action: AgentAction, session: AuthSession): string[] =>
  [quote.status, action.type, session.encryptedSessionSigningKey];
`;

describe('an empty strict project', () => {
  const snippet = 'snippet/quote.test.ts';
  beforeAll(async () => {
    consumer.write('src/types.ts', typesModule(contract));
    consumer.write('src/optional.ts', typedProgram);
    consumer.write(
      'src/app.ts',
      `import { type AgentAction, type AuthSession, createServiceClient, type Customer, type Quote } from 'countersign';
import { sandboxSigner } from 'countersign/client';
import { type Control, createControl, createControlClient, type Platform } from 'countersign/control';
import { signIn } from 'countersign/testing';
import document from 'countersign/openapi.json' with { type: 'json' };
import { createSandbox, type Sandbox } from 'countersign/sandbox';
${narrow}
console.log(document.openapi);
const sandbox: Sandbox = await createSandbox({ seed: 1 });
${walk}`,
    );
    consumer.write(
      'src/legacy.cts',
      `import { type AgentAction, type AuthSession, createServiceClient, type Customer, type Quote } from 'countersign';
import { sandboxSigner } from 'countersign/client';
import { type Control, createControl, createControlClient, type Platform } from 'countersign/control';
import { signIn } from 'countersign/testing';
import document = require('countersign/openapi.json');
import { createSandbox } from 'countersign/sandbox';
${narrow}
async function main(): Promise<void> {
  console.log(document.openapi);
  const sandbox = await createSandbox({ seed: 1 });
  ${walk}
}
void main();
`,
    );
  });

  test('case 35, case 103 and case 137: compiles, each type by name, each union narrowed, optional values undefined', async () => {
    expect(await consumer.compile()).toBe('');
  });

  test.each([
    ['ES modules', 'out/app.js'],
    ['CommonJS', 'out/legacy.cjs'],
  ])('%s run a request through a sandbox in process', async (_kind, file) => {
    // The tests may run in any order.
    await consumer.compile();
    const [version, answer] = (await consumer.run(file)).trim().split('\n');
    expect(version).toBe(contract.openapi);
    expect(JSON.parse(answer ?? '')).toEqual([2, 'sandbox-valid-signature', 'Tideline Supplies LLC']);
  });

  // Shows that the compiler would have noticed faults above. This takes as long as the test above.
  test.each(byLength([], ['types']))('the proof of the %s finds what it is there to find', async () => {
    const sound = typesModule(contract);
    // An unknown name also breaks the types of the secrets, so it is in a separate file.
    const spoilt = {
      'kinds.ts': [
        ["case 'OAUTH'", "case 'PASSWORD'"],
        ["<Carriers<'clientSecret'>, 'TokenCreated'>", "<Carriers<'clientSecret'>, 'Token'>"],
      ],
      'names.ts': [['  Quote,\n', '  Quotation,\n']],
    } satisfies Record<string, [before: string, after: string][]>;
    const places = Object.entries(spoilt).flatMap(([file, faults]) => {
      const text = faults.reduce((text, [before, after]) => text.replace(before, after), sound);
      consumer.write(file, text);
      return faults.map(([, after]) => `${file}(${text.slice(0, text.indexOf(after)).split('\n').length},`);
    });
    consumer.link('vitest');
    const payment = 'snippet/payment.test.ts';
    consumer.write(snippet, readGuide('docs/how-to/clock.md').snippets('vitest'));
    consumer.write(payment, readGuide('package/README.md').snippets('payment'));
    // In one run of the compiler. The declarations of Vitest itself need more than this project has.
    const errors = (await consumer.check([...Object.keys(spoilt), snippet, payment], ['--skipLibCheck'])).split('\n');
    for (const place of places) expect(errors.filter((error) => error.startsWith(place))).not.toEqual([]);
    expect(errors.filter((error) => error.startsWith('snippet/'))).toEqual([]);
  });

  // Half of its time is Vitest's own; `test/docs` runs the other snippets in every run.
  const vitestSnippets = [
    ['docs/how-to/clock.md', 'vitest', 1],
    ['package/README.md', 'vitest', 1],
    ['package/README.md', 'payment', 2],
  ] as const;
  test.each(byLength<readonly (readonly [string, string, number])[]>([], vitestSnippets))(
    'case 116: the snippet of %s that is marked %s passes there',
    async (guide, mark, count) => {
      consumer.link('vitest');
      consumer.write(snippet, readGuide(guide).snippets(mark));
      const run = ['run', '--root', consumer.folder, snippet];
      const { code, output } = await runTool(['vitest', 'vitest'], run, consumer.folder);
      expect([code, output]).toEqual([0, expect.stringMatching(new RegExp(`Tests\\s+${count} passed`))]);
    },
  );

  test.each(byLength([], ['the snippets that steer a sandbox and sign a customer in do what they say']))(
    '%s',
    async () => {
      const guide = readGuide('package/README.md');
      consumer.write('steer.ts', guide.snippets('steer'));
      consumer.write('signIn.ts', guide.snippets('signIn'));
      expect(await Promise.all([consumer.run('steer.ts'), consumer.run('signIn.ts')])).toEqual([
        'STORAGE_UNAVAILABLE 2\n',
        '5000000 true\n',
      ]);
    },
  );

  test.each(byLength([], ['starts the sandbox by the command, whose words lead to what is there']))('%s', async () => {
    const command = 'node_modules/countersign/cli/countersign.mjs start';
    const args = ['--port', '0', '--data', ':memory:', '--log', 'off'];
    const { output, waitFor } = run(command, args, process.env, onTestFinished, consumer.folder);
    const [, base = ''] = await waitFor(/ready at (http:\/\/\S+)\/2025-10-13\n[\s\S]*guide .*\n/);
    const addresses = [...output().matchAll(/(GET|POST)?\s(https?:\/\/\S+)/g)].filter(
      ([, method]) => method !== 'POST',
    );
    expect(addresses.length).toBeGreaterThan(2);
    for (const [, , address = ''] of addresses) {
      expect(address.startsWith(base), address).toBe(true);
      const isRoot = address.endsWith('/2025-10-13');
      const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}` };
      expect((await fetch(isRoot ? `${address}/customers` : address, { headers })).status, address).toBe(200);
    }
    expect((await fetch(`${base}/reference/scalar.js`)).status).toBe(200);
    const beside = output().replaceAll(/https?:\/\/\S+/g, '');
    const files = [...beside.matchAll(/\b[\w./-]+\.(?:json|yaml|md|html)\b/g)].map(([file]) => file);
    expect(files).toHaveLength(1);
    const dead = files.filter((file) => !existsSync(resolve(consumer.folder, file)));
    expect(dead).toEqual([]);
  });

  test('has the command that judges recorded traffic', async () => {
    const command = 'node_modules/countersign/cli/countersign.mjs';
    const recording = join(projectRoot, 'test/conformance/fixtures/two-mistakes.har');
    const failed = await consumer.run(command, 'check', recording).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('1 finding, and 1 assumed') });
    const help = await consumer.run(command, '--help');
    expect(help).toContain('start the sandbox');
    // What isn't in the package.
    expect(help).not.toMatch(/In the repository|npm run|bless/);
  });

  // The test below, in the long run, installs the tools.
  const beside: readonly (readonly [readonly string[], RegExp])[] = [
    [['mock'], /^npx countersign mock needs @stoplight\/prism-http\. Add it: npm install -D @stoplight\/prism-http@\d/],
    [['guard', 'api.yaml'], /^npx countersign guard needs @redocly\/cli\. Add it: npm install -D @redocly\/cli@\d/],
    [['diff'], /^npx countersign diff needs @redocly\/cli\. Add it: /],
  ];
  const inClones = /^countersign score works only in a clone of Countersign's repository/;
  test.each([...byLength(beside, []), [['score'], inClones] as const])(
    '%j says what it needs beside the package, and ends with 2',
    async (args, says) => {
      const entry = join(consumer.packageFolder, 'cli/countersign.mjs');
      const { status, stderr } = spawnSync(process.execPath, [entry, ...args], {
        encoding: 'utf8',
        cwd: consumer.folder,
      });
      expect([status, stderr]).toEqual([2, expect.stringMatching(says)]);
    },
  );

  test.each(
    byLength([], [
      ['guard', '@redocly/cli'],
      ['mock', '@stoplight/prism-http'],
    ] as const),
  )('asks for the tool of %s, and works with it', async (name, tool) => {
    const command = 'node_modules/countersign/cli/countersign.mjs';
    const args = {
      guard: ['--rules', 'plain', 'node_modules/countersign/dist/generated/openapi.json'],
      mock: ['--port', '0'],
    }[name];
    const refused = await consumer.run(command, name, ...args).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`npm install -D ${tool}@`) });
    consumer.link(tool);
    const { waitFor } = run(`${command} ${name}`, args, process.env, onTestFinished, consumer.folder);
    await waitFor({ guard: /The contract is sound\./, mock: /ready at http/ }[name]);
  });

  test('with an older Node, the error says what the sandbox needs', async () => {
    consumer.write(
      'older.mjs',
      `Object.defineProperty(process.versions, 'node', { value: '22.4.0' });
const { createSandbox } = await import('countersign/sandbox');
console.log(await createSandbox().catch(({ message }) => message));\n`,
    );
    expect(await consumer.run('older.mjs')).toMatch(/^The sandbox needs Node 24, this is 22\.4\.0\./);
  });
});

describe('the package guide', () => {
  const { text } = readGuide('package/README.md');

  test('names every call of the control client', () => {
    const [, table = ''] = /^\| Group \|[^\n]*\n([\s\S]*?)\n\n/m.exec(text) ?? [];
    const rows = table.split('\n').map((row) => row.split(' | '));
    for (const { group, name } of controlCalls) {
      const row = rows.find(([first]) => first?.includes(`\`${group}\``));
      expect([group, row?.[1]]).toEqual([group, expect.stringMatching(new RegExp(`\`${name}\\b`))]);
    }
  });

  test('names every entry and every option', () => {
    for (const entry of Object.keys(consumer.manifest.exports)) {
      expect(text).toContain(`\`${entry.replace('.', 'countersign')}\``);
    }
    const declared = readFileSync(join(projectRoot, 'package/sandboxTypes.ts'), 'utf8');
    const options = [...declared.matchAll(/interface \w+Options[^{]*\{([\s\S]*?)\n\}/g)].map(([, fields]) => fields);
    expect(options).toHaveLength(4);
    const names = [...options.join('').matchAll(/readonly (\w+)\?/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(text).toMatch(new RegExp(`\`(?:[^\`]*\\W)?${name}\\b`));
  });

  test('says that it works with what is tried, and of the rest that it is not', () => {
    const [, table = ''] = /^## What it works with$([\s\S]*?)^## /m.exec(text) ?? [];
    const listed = [...table.matchAll(/^\| (.+?) \| (.*?) \| (.*?) ?\|$/gm)];
    const said = Object.fromEntries(listed.map(([, name = '', works]) => [name, works?.startsWith('not tested')]));
    expect(said).toEqual(Object.fromEntries(Object.entries(rows).map(([name, by]) => [name, by === undefined])));
  });
});

describe('the command', () => {
  test('case 139: check runs on Node 20 too; everything else says what it needs, and not by the code of findings', async (context) => {
    const node = findOldNode();
    if (node === undefined) return context.skip('This machine has no Node 20 to 23 on its PATH: nothing was tried.');
    const command = join(consumer.packageFolder, 'cli/countersign.mjs');
    const run = (...args: string[]) => spawnSync(node, [command, ...args], { encoding: 'utf8', cwd: projectRoot });
    const dialects = join(projectRoot, 'test/conformance/dialects');
    const tried = [
      ['mitmproxy.har', 'text', /4 judged: 2 findings/],
      ['playwright.zip', 'github', /4 judged: 2 findings/],
      ['reqable.har', 'junit', /<failure type="schema\/type"[\s\S]*<failure/],
    ] as const;
    for (const [name, format, report] of byLength([tried[0]], [...tried])) {
      const { status, stdout } = run('check', '--fail-on', 'assumed', '--format', format, join(dialects, name));
      expect([status, stdout]).toEqual([1, expect.stringMatching(report)]);
    }
    const refused = run('start');
    for (const name of byLength(['start'], ['start', 'mock', 'check', 'proxy', 'diff', 'guard'])) {
      const { status, stdout } = run(name, '--help');
      expect([status, stdout]).toEqual([0, expect.stringContaining(`Usage: npx countersign ${name} `)]);
    }
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^countersign start needs Node 24, and this is \d+\.\d+\.\d+\. Install Node 24/),
    ]);
    return undefined;
  });
});
