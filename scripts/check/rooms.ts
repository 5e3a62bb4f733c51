/**
 * The rooms of the project, and which room may import which. An import that isn't listed is forbidden. A listed import
 * that no file needs is a finding too (roomRules.ts).
 */

/** A part of the project whose files belong together. */
export interface Room {
  /**
   * A folder with everything below it, or one file; `*` stands for any one name. If several paths fit, a file belongs
   * to the closest.
   */
  readonly path: string;
  /**
   * Paths of the rooms that it may import. They must be further up in the table, so that no two rooms need each other.
   */
  readonly may: readonly string[];
  /** Whether it may import Node's modules. A room without this can run in a browser. */
  readonly node?: true;
}

const sandbox = 'mocks/sandbox';
const domains = `${sandbox}/domains`;
const node = `${sandbox}/node`;
const [records, machine, tools] = [`${domains}/*/records.ts`, `${node}/machine`, `${sandbox}/tools`];
const [payments, proofs, store] = [`${sandbox}/payments`, `${sandbox}/proofs`, `${sandbox}/store`];
const [telemetry, transport, steps] = [`${sandbox}/telemetry`, `${sandbox}/transport`, `${sandbox}/steps`];
const [shared, signedRetry, registry] = [`${domains}/*.ts`, `${sandbox}/signedRetry`, `${sandbox}/registry`];
const [pipeline, worlds, control] = [`${sandbox}/pipeline`, `${sandbox}/worlds`, `${sandbox}/control`];
const mcpRoute = `${sandbox}/mcp`;
const [postgres, listening] = [`${node}/postgres`, `${node}/listening`];
/** The SQLite engine and its two builds. */
const [sqlite, sqliteOfNode, browser] = [`${sandbox}/sqlite`, `${node}/sqlite`, `${sandbox}/browser`];
/** The core of the sandbox, the same on every platform. */
const core = `${sandbox}/core.ts`;
const [accounts, tokens, auth] = [`${domains}/accounts`, `${domains}/tokens`, `${domains}/auth`];
const [customers, transfers, quotes] = [`${domains}/customers`, `${domains}/transfers`, `${domains}/quotes`];
const [sandboxDomain, agents] = [`${domains}/sandbox`, `${domains}/agents`];
/** The modules that every domain may import. */
const ground = ['generated', tools, store, shared, records];

/** From the lowest room to the highest. */
export const rooms: readonly Room[] = [
  // 1: the contract, as the generator writes it.
  { path: 'generated', may: [] },
  // 2: code that reads the contract.
  { path: 'contract', may: ['generated'] },
  { path: 'contract/file.ts', may: ['contract'], node: true },
  { path: 'traffic', may: ['generated', 'contract'], node: true },
  // The definition of a command, and the one rule that all commands follow.
  { path: 'cli/command', may: [], node: true },
  // 3: checks and behaviour. The control surface shows what the checks find in an exchange.
  { path: 'conformance', may: ['generated', 'contract', 'traffic'], node: true },
  { path: machine, may: [], node: true },
  { path: 'mocks/exchange', may: [machine] },
  { path: 'mocks/exchange/node.ts', may: ['mocks/exchange', machine], node: true },
  { path: tools, may: ['generated', 'contract', machine] },
  { path: payments, may: ['generated', 'contract', machine] },
  { path: proofs, may: ['contract', machine, tools] },
  { path: store, may: ['contract', machine, payments, proofs, tools] },
  { path: telemetry, may: ['generated', 'contract', 'traffic', 'mocks/exchange', machine, store, tools] },
  { path: transport, may: ['generated', 'contract', 'mocks/exchange', machine, telemetry, tools] },
  { path: sqlite, may: [machine, tools, store] },
  { path: sqliteOfNode, may: ['contract', machine, tools, store, sqlite], node: true },
  { path: postgres, may: ['contract', machine, tools, store, telemetry] },
  {
    path: listening,
    may: [machine, tools, transport, 'mocks/exchange', 'mocks/exchange/node.ts'],
    node: true,
  },
  { path: `${node}/*.ts`, may: ['contract', 'mocks/exchange', machine, tools, proofs, transport], node: true },
  { path: shared, may: ['generated', 'contract', tools, store] },
  // The order of domains: each may import those before it, and of the later ones only their records
  // (records.ts).
  { path: records, may: ['generated', machine, tools, payments, proofs, store, shared] },
  { path: `${signedRetry}/records.ts`, may: [proofs, store, records] },
  { path: signedRetry, may: ['generated', tools, store, records, `${signedRetry}/records.ts`] },
  { path: accounts, may: [...ground, 'contract', payments, proofs, signedRetry] },
  { path: tokens, may: [...ground, 'contract', machine, payments, accounts] },
  {
    path: auth,
    may: [...ground, 'contract', machine, proofs, `${signedRetry}/records.ts`, signedRetry, accounts, tokens],
  },
  { path: customers, may: [...ground, 'contract', machine, payments, signedRetry, accounts, tokens, auth] },
  { path: transfers, may: [...ground, payments, accounts] },
  { path: quotes, may: [...ground, 'contract', payments, signedRetry, accounts, transfers] },
  { path: sandboxDomain, may: [...ground, payments, accounts, transfers, quotes] },
  { path: agents, may: [...ground, 'contract', machine, payments, accounts, transfers, quotes] },
  // The steps that every request goes through.
  {
    path: steps,
    may: [...ground, 'contract', 'mocks/exchange', machine, transport],
  },
  {
    path: registry,
    may: [
      store,
      shared,
      records,
      `${signedRetry}/records.ts`,
      accounts,
      tokens,
      auth,
      customers,
      transfers,
      quotes,
      sandboxDomain,
      agents,
      steps,
    ],
  },
  {
    path: pipeline,
    may: ['generated', 'contract', 'mocks/exchange', tools, store, telemetry, transport, shared, steps],
  },
  {
    path: worlds,
    may: [
      'generated',
      'contract',
      machine,
      tools,
      payments,
      proofs,
      store,
      shared,
      records,
      accounts,
      tokens,
      customers,
      agents,
      registry,
    ],
  },
  {
    path: control,
    may: [
      ...ground,
      'contract',
      'traffic',
      'conformance',
      'mocks/exchange',
      machine,
      payments,
      proofs,
      telemetry,
      transport,
      accounts,
      customers,
      steps,
      registry,
      pipeline,
      worlds,
    ],
  },
  // The interface's agents as tools for AI agents, whatever the address of the interface is.
  { path: 'mcp/compact.ts', may: [] },
  { path: 'mcp', may: ['generated', 'contract', 'mcp/compact.ts'] },
  { path: 'mcp/node', may: ['mcp'], node: true },
  {
    path: mcpRoute,
    may: ['generated', 'contract', 'mcp', 'mocks/exchange', tools, telemetry, transport, shared, steps],
  },
  {
    path: core,
    may: [
      'contract',
      machine,
      tools,
      proofs,
      store,
      telemetry,
      transport,
      shared,
      steps,
      registry,
      pipeline,
      worlds,
      control,
      mcpRoute,
    ],
  },
  { path: `${sandbox}/app.ts`, may: ['contract/file.ts', machine, `${node}/*.ts`, transport, mcpRoute, core] },
  // A page has no Node: these modules replace those of node/machine (scripts/build/browser.ts).
  { path: `${browser}/machine`, may: [] },
  {
    path: browser,
    may: ['generated', 'contract', proofs, store, sqlite, machine, transport, worlds, control, core],
  },
  // What both mocks need as a process: flags, log, ready line, shutdown.
  {
    path: 'mocks/*',
    may: ['cli/command', 'contract', machine, telemetry, transport, listening],
    node: true,
  },
  {
    path: `${sandbox}/main.ts`,
    may: [
      'cli/command',
      'contract',
      tools,
      store,
      telemetry,
      sqliteOfNode,
      postgres,
      listening,
      `${node}/*.ts`,
      worlds,
      `${sandbox}/app.ts`,
      'mocks/*',
    ],
    node: true,
  },
  {
    path: 'mocks/prism',
    may: [
      'cli/command',
      'generated',
      'contract',
      'contract/file.ts',
      'mocks/exchange',
      tools,
      telemetry,
      transport,
      steps,
      `${node}/*.ts`,
      'mocks/*',
    ],
    node: true,
  },
  // The client.
  { path: 'client', may: ['generated', 'contract'] },
  // The device of a test, without a real device. Both files run in a browser too.
  { path: 'conformance/replay/magic.ts', may: ['contract'] },
  { path: 'conformance/replay/passkey.ts', may: ['contract'] },
  // Replays recorded calls against any address, and holds a device's keys for that.
  {
    path: 'conformance/replay',
    may: [
      'generated',
      'contract',
      'traffic',
      'conformance',
      'conformance/replay/magic.ts',
      'conformance/replay/passkey.ts',
      'client',
    ],
    node: true,
  },
  // 4: the ways to users. The console is a client like any other. It also reads the sandbox's table of suffixes, which
  // it explains.
  { path: 'console', may: ['generated', 'contract', tools, payments] },
  // The package's `.` entry runs in a browser; the sandbox, in another file, doesn't.
  { path: 'package/index.ts', may: ['generated'] },
  // Controls a sandbox, from any platform.
  { path: 'package/events.ts', may: ['generated'] },
  { path: 'package/codes.ts', may: ['generated', 'conformance/replay/magic.ts'] },
  { path: 'package/steeringTypes.ts', may: ['generated', 'package/codes.ts'] },
  {
    path: 'package/steering.ts',
    may: ['generated', 'package/codes.ts', 'package/events.ts', 'package/steeringTypes.ts'],
  },
  // Signs a customer in like an app: with calls and a device's keys.
  {
    path: 'package/signIn.ts',
    may: [
      'generated',
      'contract',
      'conformance/replay/magic.ts',
      'conformance/replay/passkey.ts',
      'client',
      'package/steeringTypes.ts',
    ],
  },
  { path: 'package/testing.ts', may: ['client', 'package/steeringTypes.ts', 'package/signIn.ts'] },
  {
    path: 'package/control.ts',
    may: ['generated', 'package/codes.ts', 'package/steering.ts', 'package/steeringTypes.ts'],
  },
  {
    path: 'package',
    may: [
      'generated',
      'contract',
      'contract/file.ts',
      'package/codes.ts',
      'package/signIn.ts',
      'package/steering.ts',
      'package/steeringTypes.ts',
      tools,
      store,
      telemetry,
      transport,
      sqliteOfNode,
      postgres,
      listening,
      worlds,
      core,
      `${sandbox}/app.ts`,
      browser,
      'mocks/*',
    ],
  },
  // Tools that build and check the project.
  { path: 'scripts/lib', may: ['cli/command', 'contract'], node: true },
  {
    path: 'scripts/generate',
    may: ['cli/command', 'generated', 'contract', payments, proofs, 'mcp/compact.ts', 'scripts/lib'],
    node: true,
  },
  { path: 'scripts/diff', may: ['contract', 'conformance', 'scripts/lib'], node: true },
  { path: 'scripts/workflows', may: ['cli/command', 'generated', 'scripts/lib'], node: true },
  { path: 'scripts/build', may: ['cli/command', 'scripts/lib', 'scripts/generate'], node: true },
  { path: 'scripts/check/examples.ts', may: ['contract', 'scripts/lib'] },
  {
    path: 'scripts/guard',
    may: ['cli/command', 'conformance', 'scripts/lib', 'scripts/check/examples.ts'],
    node: true,
  },
  {
    path: 'cli',
    may: [
      'cli/command',
      'generated',
      'contract',
      'contract/file.ts',
      'traffic',
      machine,
      transport,
      listening,
      'mocks/*',
      `${sandbox}/main.ts`,
      'mocks/prism',
      'conformance',
      'conformance/replay',
      machine,
      'mcp',
      'mcp/node',
      'package',
      'package/control.ts',
      'scripts/diff',
      'scripts/guard',
    ],
    node: true,
  },
  { path: 'scripts/pack', may: ['cli/command', 'scripts/build', 'scripts/lib'], node: true },
  {
    path: 'scripts/release',
    may: ['cli/command', 'scripts/build', 'scripts/diff', 'scripts/lib'],
    node: true,
  },
  {
    path: 'scripts/site',
    may: [
      'cli/command',
      'generated',
      'contract',
      `${node}/*.ts`,
      transport,
      worlds,
      'scripts/lib',
      'scripts/generate',
      'scripts/diff',
    ],
    node: true,
  },
  {
    path: 'scripts/check',
    may: [
      'cli/command',
      'generated',
      'contract',
      tools,
      payments,
      auth,
      quotes,
      agents,
      'scripts/lib',
      'scripts/generate',
      'scripts/diff',
      'scripts/check/examples.ts',
    ],
    node: true,
  },
  {
    path: 'scripts',
    may: [
      'cli/command',
      'cli',
      'generated',
      'contract',
      'contract/file.ts',
      'traffic',
      'mocks/exchange',
      tools,
      sqliteOfNode,
      listening,
      `${sandbox}/app.ts`,
      'mocks/prism',
      'scripts/lib',
      'scripts/generate',
      'scripts/diff',
      'scripts/workflows',
    ],
    node: true,
  },
  {
    path: 'test/support',
    may: [
      'cli/command',
      'generated',
      'contract',
      'contract/file.ts',
      'mocks/exchange',
      tools,
      store,
      telemetry,
      transport,
      sqliteOfNode,
      postgres,
      listening,
      shared,
      registry,
      `${sandbox}/app.ts`,
      browser,
      'conformance',
      'conformance/replay',
      'cli',
      'package',
      'scripts/lib',
      'scripts/build',
      'scripts/pack',
    ],
    node: true,
  },
  {
    path: 'test/fuzz',
    may: [
      'cli/command',
      'generated',
      'contract',
      'contract/file.ts',
      'traffic',
      'conformance',
      sqliteOfNode,
      `${sandbox}/app.ts`,
      'test/support',
    ],
    node: true,
  },
  {
    path: 'test',
    may: [
      'cli/command',
      'generated',
      'contract',
      'contract/file.ts',
      'traffic',
      'mocks/exchange',
      'mocks/exchange/node.ts',
      machine,
      tools,
      payments,
      proofs,
      store,
      telemetry,
      transport,
      sqlite,
      sqliteOfNode,
      postgres,
      listening,
      `${node}/*.ts`,
      shared,
      records,
      accounts,
      tokens,
      transfers,
      agents,
      steps,
      registry,
      worlds,
      `${sandbox}/app.ts`,
      browser,
      `${browser}/machine`,
      'mocks/*',
      'mocks/prism',
      'conformance',
      'client',
      'mcp',
      'mcp/node',
      'console',
      'cli',
      'package/index.ts',
      'package/control.ts',
      'package/testing.ts',
      'package',
      'scripts/lib',
      'scripts/build',
      'scripts/pack',
      'scripts/generate',
      'scripts/diff',
      'scripts/release',
      'scripts/site',
      'scripts/workflows',
      'scripts/check',
      'scripts/check/examples.ts',
      'scripts',
      'test/support',
      'test/fuzz',
    ],
    node: true,
  },
];
