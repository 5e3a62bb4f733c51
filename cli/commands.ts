/** Lists every command by name. A command's definition loads when it is called, and its dependencies when it runs. */
import { existsSync } from 'node:fs';
import type { Command } from './command/command.ts';

export interface Listed {
  readonly does: string;
  /** The heading above it in the list of commands. */
  readonly group: string;
  /** Whether its file exists. If this function is absent, it does. */
  isThere?(): boolean;
  /** @returns undefined if its file is missing: the package doesn't contain the repository's scripts */
  load(): Promise<Command | undefined>;
}

const group = 'Commands:';
const repository = 'In the repository:';

/** The commands of the package. */
const shipped: Readonly<Record<string, Listed>> = {
  start: { group, does: 'start the sandbox', load: async () => (await import('./start.ts')).command },
  mock: {
    group,
    does: "serve the contract's examples, without state",
    load: async () => (await import('./mock.ts')).command,
  },
  check: {
    group,
    does: 'check recorded traffic (HAR) against the contract',
    load: async () => (await import('./check.ts')).command,
  },
  replay: {
    group,
    does: "replay recorded traffic, and show where the sandbox's replies differ",
    load: async () => (await import('./replay.ts')).command,
  },
  codes: {
    group,
    does: 'print the one-time codes that a sandbox has sent',
    load: async () => (await import('./codes.ts')).command,
  },
  proxy: {
    group,
    does: 'check live traffic to a service, and record it',
    load: async () => (await import('./proxy.ts')).command,
  },
  mcp: {
    group,
    does: "offer an agent's operations as tools to an AI agent (MCP)",
    load: async () => (await import('./mcp.ts')).command,
  },
  diff: { group, does: 'rate what changed in a contract', load: async () => (await import('./diff.ts')).command },
  guard: {
    group,
    does: 'lint an OpenAPI document and check its examples',
    load: async () => (await import('./guard.ts')).command,
  },
};

const scripts: Readonly<Record<string, readonly [file: string, does: string]>> = {
  dev: ['scripts/dev/main.ts', 'start the sandbox, and again after each change'],
  generate: ['scripts/generate/main.ts', 'write generated/ from openapi/'],
  reference: ['scripts/reference/main.ts', 'build the reference as a folder for any web server'],
  site: ['scripts/site/main.ts', 'make the published site as a folder for any static host'],
  workflows: ['scripts/workflows/main.ts', 'run the workflows against a sandbox or another server'],
  score: ['scripts/score/main.ts', 'score the contract'],
  bless: ['scripts/bless/main.ts', 'publish the contract as a version'],
  release: ['scripts/release/main.ts', 'say whether a tag may be released'],
  new: ['scripts/new-operation/main.ts', 'write the places of a new operation'],
  record: ['scripts/record/main.ts', 'record the workflows and the examples again'],
  build: ['scripts/build/main.ts', 'write dist/, the content of the package'],
  pack: ['scripts/pack/main.ts', 'build and pack the package: countersign-VERSION.tgz'],
  tools: ['test/matrix/main.ts', "give the contract to other people's tools"],
  bench: ['test/bench/main.ts', 'measure the sandbox beside other servers'],
  simulate: ['test/simulation/main.ts', 'run the sandbox beside a second model'],
  mutate: ['test/mutation/main.ts', 'plant faults and count those that the tests notice'],
  fuzz: ['test/fuzz/main.ts', 'send requests made from the contract, and judge each reply'],
};

/** Loads a script by its address, because an import statement would put the script into the package. */
async function loadScript(address: URL): Promise<Command | undefined> {
  return existsSync(address) ? ((await import(address.href)) as { readonly command: Command }).command : undefined;
}

/** Every command, in the order of the help. */
export const listed: Readonly<Record<string, Listed>> = {
  ...shipped,
  ...Object.fromEntries(
    Object.entries(scripts).map(([name, [file, does]]) => {
      const address = new URL(`../${file}`, import.meta.url);
      return [name, { group: repository, does, isThere: () => existsSync(address), load: () => loadScript(address) }];
    }),
  ),
};
