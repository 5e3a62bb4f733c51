/**
 * Promise: what `npm pack` makes can be installed into an empty strict project and works there, for ES modules and for
 * CommonJS: every type by name, every union told apart, one-time secrets only where they belong, a sandbox in process.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runTool } from '../../scripts/lib/tool.ts';
import { Consumer, type Packed, packInto } from '../support/process/consumer.ts';
import { findOldNode } from '../support/process/oldNode.ts';
import { readGuide } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';
import { typesModule } from './narrowing.ts';

const contract = bundle as unknown as ContractDocument;

let folder: string;
let packed: Packed;
let consumer: Consumer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-package-'));
  packed = await packInto(folder);
  consumer = await Consumer.install(join(folder, 'consumer'), packed);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the tarball', () => {
  const inside = (): string[] => packed.files.map(({ path }) => path);

  test('holds plain JavaScript, its declarations and the contract, and nothing to build, test or run them with', () => {
    const strange = inside().filter(
      (path) =>
        !/^dist\/(?:cli|client|conformance|contract|generated|mocks|package|scripts|traffic)\/.*(?<!\.d)(?:\.d\.ts|\.js)$/.test(
          path,
        ),
    );
    expect(strange.sort()).toEqual([
      'LICENSE',
      'README.md',
      'cli/countersign.mjs',
      'dist/generated/openapi.json',
      'dist/redocly.yaml',
      'mocks/lifecycle.mjs',
      'package.json',
    ]);
    // What check, guard and diff share; nothing else of the scripts.
    expect(inside().filter((path) => /test|scripts\/(?!check\/examples|diff\/|guard\/|lib\/)/.test(path))).toEqual([]);
    expect(packed.size).toBeLessThan(500_000);
  });

  test('offers four entries, each of them there', () => {
    const { exports } = consumer.manifest;
    expect(Object.keys(exports)).toEqual(['.', './client', './sandbox', './openapi.json']);
    const targets = Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    expect(inside()).toEqual(expect.arrayContaining(targets.map((target) => target.replace('./', ''))));
  });

  test('depends on what its modules import, all of it and no more', () => {
    const imported = new Set<string>();
    for (const path of inside().filter((name) => /\.(?:js|ts)$/.test(name))) {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(consumer.packageFolder, path), 'utf8'), true, true);
      for (const { fileName } of importedFiles) {
        if (/^(?:\.|node:)/.test(fileName)) continue;
        const [scope = '', name = ''] = fileName.split('/');
        imported.add(scope.startsWith('@') ? `${scope}/${name}` : scope);
      }
    }
    // `mock` asks its user for Prism.
    expect(imported.delete('@stoplight/prism-http')).toBe(true);
    expect([...imported].sort()).toEqual(Object.keys(consumer.manifest.dependencies).sort());
    expect([...imported].filter((name) => builtinModules.includes(name))).toEqual([]);
  });

  test('no module awaits while it loads, so that require() takes it', async () => {
    const probe =
      "for (const name of ['', '/client', '/sandbox']) require('countersign' + name); console.log('loaded');";
    consumer.write('probe.cjs', `${probe}\nrequire('./node_modules/countersign/dist/package/inProcess.js');\n`);
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
    consumer.write(
      'src/app.ts',
      `import { type AgentAction, type AuthSession, createServiceClient, type Customer, type Quote } from 'countersign';
import { sandboxSigner } from 'countersign/client';
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

  test('case 103 and case 35: compiles, each type by name, each union narrowed, each one-time secret in its place', async () => {
    expect(await consumer.compile()).toBe('');
  });

  test.each([
    ['ES modules', 'out/app.js'],
    ['CommonJS', 'out/legacy.cjs'],
  ])('%s run a request through a sandbox in process', async (_kind, file) => {
    const [version, answer] = (await consumer.run(file)).trim().split('\n');
    expect(version).toBe(contract.openapi);
    expect(JSON.parse(answer ?? '')).toEqual([2, 'sandbox-valid-signature', 'Tideline Supplies LLC']);
  });

  // Shows that the compiler would have noticed above: it takes as long as that.
  test.each(byLength([], ['types']))('the proof of the %s finds what it is there to find', async () => {
    const sound = typesModule(contract);
    // A name that isn't there makes the types of the secrets fail with it, so it has a file of its own.
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
    consumer.write(snippet, readGuide('README.md').snippets('vitest'));
    // In one run of the compiler. The declarations of Vitest itself need more than this project has.
    const errors = (await consumer.check([...Object.keys(spoilt), snippet], ['--skipLibCheck'])).split('\n');
    for (const place of places) expect(errors.filter((error) => error.startsWith(place))).not.toEqual([]);
    expect(errors.filter((error) => error.startsWith('snippet/'))).toEqual([]);
  });

  test('case 116: the Vitest snippet of the README passes there', async () => {
    consumer.link('vitest');
    consumer.write(snippet, readGuide('README.md').snippets('vitest'));
    const { code, output } = await runTool(['vitest', 'vitest'], ['run', '--root', consumer.folder], consumer.folder);
    expect([code, output]).toEqual([0, expect.stringMatching(/Tests\s+1 passed/)]);
  });

  test('has the command that judges recorded traffic', async () => {
    const command = 'node_modules/countersign/cli/countersign.mjs';
    const recording = join(projectRoot, 'test/conformance/fixtures/two-mistakes.har');
    const failed = await consumer.run(command, 'check', recording).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('1 finding, and 1 assumed') });
    expect(await consumer.run(command, '--help')).toContain('start the sandbox');
  });

  test('an older Node is told what the sandbox needs', async () => {
    consumer.write(
      'older.mjs',
      `Object.defineProperty(process.versions, 'node', { value: '22.4.0' });
const { createSandbox } = await import('countersign/sandbox');
console.log(await createSandbox().catch(({ message }) => message));\n`,
    );
    expect(await consumer.run('older.mjs')).toMatch(/^The sandbox needs Node 24, this is 22\.4\.0\./);
  });
});

test('the package guide names every entry and every option', () => {
  const { text } = readGuide('package/README.md');
  for (const entry of Object.keys(consumer.manifest.exports)) {
    expect(text).toContain(`\`${entry.replace('.', 'countersign')}\``);
  }
  const declared = readFileSync(join(projectRoot, 'package/sandboxTypes.ts'), 'utf8');
  const options = /interface SandboxOptions \{([\s\S]*?)\n\}/.exec(declared)?.[1] ?? '';
  const names = [...options.matchAll(/readonly (\w+)\?/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(text).toContain(`\`${name}\``);
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
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^countersign start needs Node 24, and this is \d+\.\d+\.\d+\. Install Node 24/),
    ]);
    return undefined;
  });
});
