/**
 * House rule R27: the paths, codes, suffixes and numbers in prose match the contract and the sandbox's tables. It reads
 * descriptions, messages and pages, because nothing else notices when they become false.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlOperations } from '../../generated/controlOperations.ts';
import { deviceCodeLifetimeMs } from '../../mocks/sandbox/domains/agents/rules.ts';
import { lifetimes } from '../../mocks/sandbox/domains/auth/rules.ts';
import { quoteLifetimeMs } from '../../mocks/sandbox/domains/quotes/rules.ts';
import { errorStatuses, readOperations, readTransportCodes } from '../generate/facts.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { findStrangeCitations } from './prose/citations.ts';
import { findStrangePairs, findUnexplainedStatuses, findUnmentionedReasons } from './prose/contract.ts';
import { findStrangers, type Names } from './prose/names.ts';
import { type Figures, findFalseNumbers, findIdleClaims } from './prose/numbers.ts';
import { type Prose, readContractProse, readPages } from './prose/read.ts';
import { findFalseRows } from './prose/tables.ts';

/** The facts that prose is compared with. */
export interface Truth extends Figures, Names {}

/** Addresses of the sandbox outside the contract and the control surface, and addresses that an app must serve. */
const otherPaths = [
  '/2025-10-13',
  '/__sandbox',
  '/__sandbox/watch',
  '/__sandbox/watch/2025-10-13',
  '/openapi.json',
  '/guides.md',
  '/openapi.yaml',
  '/__sandbox/openapi.json',
  '/__sandbox/openapi.yaml',
  '/mcp',
  '/console',
  '/console/assets',
  '/reference',
  '/reference/control.html',
  '/.well-known/apple-app-site-association',
  '/.well-known/assetlinks.json',
];

/** Codes of the proxy between an app and the service. */
const proxyCodes: ReadonlyMap<string, number> = new Map([['BAD_GATEWAY', 502]]);

/** Codes that the client itself gives a call that failed (generated/client.ts). */
const clientCodes = ['NO_RESPONSE', 'UNREADABLE_RESPONSE'];

/** Environment variables. They are spelled like the contract's codes. */
const environment = ['CONTROL_TOKEN', 'ALLOW_HOST', 'ALLOW_ORIGIN'];

/** Every false sentence of a project: the place of its text, and what is wrong. */
export async function findFalseProse(root: string, contract: ContractDocument): Promise<string[]> {
  const prose = [...readContractProse(contract), ...(await readPages(root))];
  const truth = await readTruth(root, contract);
  return [
    ...prose.flatMap((one) => falseIn(one, truth).map((fault) => `${one.where}: ${fault}`)),
    ...findIdleClaims(
      prose.map(({ text }) => text),
      truth,
    ),
    ...findUnexplainedStatuses(contract),
    ...findUnmentionedReasons(contract),
    ...findStrangePairs(contract),
    ...findStrangeCitations(root),
  ];
}

/** One phrase for each false thing in a text. */
export function falseIn(prose: Prose, truth: Truth): string[] {
  return [
    ...new Set([...findStrangers(prose, truth), ...findFalseRows(prose.text), ...findFalseNumbers(prose.text, truth)]),
  ];
}

/** Reads the facts that prose is compared with: the project's contract, decisions, rules, and the sandbox's tables. */
export async function readTruth(root: string, contract: ContractDocument): Promise<Truth> {
  const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');
  const operations = readOperations(contract);
  const transport = readTransportCodes(contract);
  const control = JSON.parse(await read('generated/control.json')) as ContractDocument;
  const found = (text: string, form: RegExp): Set<string> =>
    new Set([...text.matchAll(form)].map(([, name]) => name as string));
  return {
    operations,
    controlRoutes: controlOperations,
    otherPaths,
    statuses: new Map([...errorStatuses(contract, operations, transport), ...proxyCodes]),
    transport: Object.keys(transport).map(Number),
    words: new Set([...wordsOf(contract), ...wordsOf(control), ...proxyCodes.keys(), ...environment, ...clientCodes]),
    decisions: found(await read('openapi/DECISIONS.md'), /^## (D\d\d)\b/gm),
    rules: found(await read('openapi/README.md'), /^\| (R\d\d) \|/gm),
    decimals: decimalsOf(contract),
    claims: claimsOf(contract),
  };
}

function claimsOf(contract: ContractDocument): Figures['claims'] {
  const minutes = (ms: number): number => ms / 60_000;
  const types = Object.keys(mappingOf(contract, 'ExternalAccountInfo'));
  const total = readOperations(contract).length;
  return [
    { form: /(\d+) operations\. \[openapi\/openapi\.yaml\]/, is: total, what: 'the number of operations' },
    { form: /knows (\d+) types/, is: types.length, what: 'the number of account types' },
    { form: /session(?: lives| of) (\w+) minutes/, is: minutes(lifetimes.session), what: 'the life of a session' },
    {
      form: /fixes (?:its|the) price (?:of a payment )?for (\w+) minutes/,
      is: minutes(quoteLifetimeMs),
      what: 'the life of a quote',
    },
    {
      form: /works once and for (\d+) hours/,
      is: minutes(deviceCodeLifetimeMs) / 60,
      what: 'the life of a device code',
    },
    { form: /(?:exceed|numbers up to) (\d+)/, is: 9_000_000_000_000_000, what: 'the largest amount' },
    { form: /`limit` is 1 to (\d+)/, is: 100, what: 'the largest page' },
  ];
}

function mappingOf(contract: ContractDocument, union: string): Readonly<Record<string, string>> {
  const schema = contract.components?.schemas?.[union] as { discriminator?: { mapping?: Record<string, string> } };
  return schema?.discriminator?.mapping ?? {};
}

function decimalsOf(contract: ContractDocument): ReadonlyMap<string, number> {
  const schema = contract.components?.schemas?.['CurrencyCode'] as
    | { 'x-currencies'?: readonly { code: string; decimals: number }[] }
    | undefined;
  return new Map((schema?.['x-currencies'] ?? []).map(({ code, decimals }) => [code, decimals]));
}

/** Every value that the contract lists, every field and parameter, and the keys of its extensions. */
function wordsOf(contract: ContractDocument): ReadonlySet<string> {
  const words = new Set<string>();
  const collect = (node: unknown): void => {
    if (typeof node === 'string') words.add(node);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      words.add(key);
      if (key !== 'description' && key !== 'summary') collect(value);
    }
  };
  collect(contract);
  return words;
}
