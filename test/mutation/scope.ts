/**
 * The files that are mutated, because a wrong answer costs most there, and the tests that must find the faults. All
 * paths are relative to the project.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
import { equivalents } from './equivalents.ts';
import { findMutations, type Mutation } from './points.ts';

interface Room {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

const sandbox = 'mocks/sandbox';
const domains = `${sandbox}/domains`;

// The first room that contains a file decides. Its tests run in this order.
const rooms: readonly Room[] = [
  {
    sources: [`${domains}/accounts/**`],
    tests: [
      'test/accounts/*',
      'test/transfers/*',
      'test/control/ledger',
      'test/agents/getAgentExternalAccount',
      'test/auth/closedWallets',
    ],
  },
  { sources: [`${domains}/agents/**`], tests: ['test/agents/*', 'test/control/worldAgents'] },
  {
    sources: [`${domains}/auth/**`, `${sandbox}/signedRetry/**`],
    tests: [
      'test/auth/*',
      'test/auth/real/*',
      'test/accounts/{exportInternalAccount,updateInternalAccount}',
      'test/customers/updateCustomer.email',
    ],
  },
  { sources: [`${domains}/customers/**`], tests: ['test/customers/*', 'test/quotes/impossible'] },
  { sources: [`${domains}/tokens/**`], tests: ['test/tokens/*', 'test/http/permissions'] },
  {
    sources: [`${domains}/transfers/**`],
    tests: ['test/transfers/*', 'test/control/ledger', 'test/quotes/outcomes', 'test/sandbox/*', 'test/quotes/*'],
  },
  { sources: [`${domains}/quotes/**`], tests: ['test/quotes/*', 'test/agents/walletQuotes', 'test/sandbox/*'] },
  { sources: [`${domains}/sandbox/**`], tests: ['test/sandbox/*'] },
  {
    sources: [`${sandbox}/tools/{cursor,clock}.ts`, 'contract/timestamps.ts'],
    tests: ['test/tools/*', 'test/control/clock', 'test/customers/lists', 'test/package/sandbox'],
  },
  {
    sources: [`${sandbox}/payments/{money,currencies}.ts`],
    tests: ['test/quotes/*', 'test/agents/rules', 'test/customers/*'],
  },
  {
    sources: [`${sandbox}/payments/outcomes.ts`, `${sandbox}/tools/suffix.ts`],
    tests: ['test/quotes/outcomes', 'test/transfers/*', 'test/customers/*', 'test/accounts/*', 'test/quotes/*'],
  },
  {
    sources: [`${sandbox}/proofs/*.ts`],
    tests: ['test/auth/real/*', 'test/auth/*', 'test/control/oidc', 'test/security/reach', 'test/quotes/executeQuote'],
  },
  {
    sources: [`${sandbox}/pipeline/pipeline.ts`, `${sandbox}/steps/*.ts`],
    tests: [
      'test/http/*',
      'test/control/{faultRules,journal}',
      'test/security/{foreignIds,hostileNames}',
      'test/agents/states',
    ],
  },
  {
    sources: ['contract/{match,request,body,json,faults,unions}.ts'],
    tests: ['test/contract/reading', 'test/http/*', 'test/conformance/judge', 'test/tools/*', 'test/agents/listAgents'],
  },
  { sources: ['client/signedRetry.ts'], tests: ['test/client/signedRetry'] },
];

// Ten thousand quotes: slow, and other tests find the same faults.
const notRun = new Set(['test/quotes/amounts.test.ts']);
const notMutated = ['mocks/sandbox/proofs/{factory,local,proofs,seal}.ts'];

/** A file with its mutations, without equivalent ones, and the tests that run for each. */
export interface Target {
  readonly file: string;
  readonly text: string;
  readonly mutations: readonly Mutation[];
  readonly tests: readonly string[];
}

const find = (patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: projectRoot })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** Every mutated file, in the order of the rooms. */
export function findTargets(): Target[] {
  const seen = new Set(find(notMutated));
  return rooms.flatMap(({ sources, tests: patterns }) => {
    const all = patterns.flatMap((pattern) => find([`${pattern}.test.ts`]));
    // A table of rules is fast and covers most of the code.
    const isTable = (test: string): number => Number(test.endsWith('/rules.test.ts'));
    const tests = [...new Set(all)]
      .filter((test) => !notRun.has(test))
      .sort((one, other) => isTable(other) - isTable(one));
    const files = find(sources).filter((file) => file.endsWith('.ts') && !seen.has(file));
    for (const file of files) seen.add(file);
    return files.map((file) => {
      const text = readFileSync(join(projectRoot, file), 'utf8');
      const isReal = ({ name }: Mutation): boolean =>
        !equivalents.some((one) => one.file === file && one.name === name);
      return { file, text, mutations: findMutations(file, text).filter(isReal), tests };
    });
  });
}

/** The entries in the list of equivalents that name no mutation any more. They must be removed. */
export function staleEquivalents(list = equivalents): string[] {
  return list
    .filter(({ file, name }) => {
      const [path] = find([file]);
      const text = path === undefined ? '' : readFileSync(join(projectRoot, path), 'utf8');
      return !findMutations(file, text).some((mutation) => mutation.name === name);
    })
    .map(({ file, name }) => `${file} ${name}`);
}
