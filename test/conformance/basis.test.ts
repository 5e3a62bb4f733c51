/**
 * Promise: a finding says whether it breaks the interface or only a decision of ours, and which. By default only a
 * breach of the interface makes a check exit with 1, except in a sandbox's own recording.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeBasis } from '../../conformance/basis.ts';
import { toExchange } from '../../conformance/entry.ts';
import { judge } from '../../conformance/judge.ts';
import { rules } from '../../conformance/rules/rule.ts';
import { createBasis } from '../../contract/basis/question.ts';
import { loadContract } from '../../contract/file.ts';
import { decisionTitles } from '../../generated/decisions.ts';
import { type Operation, operations } from '../../generated/operations.ts';
import { bundle } from '../support/expect/apiError.ts';
import { check, checkPlainly, type Traffic, toEntry, toHar, writeRecording } from '../support/requests/recordings.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

const contract = loadContract();
const examples = join(import.meta.dirname, 'recordings');

/** A value that a test can change anywhere. */
// biome-ignore lint/suspicious/noExplicitAny: replies of several operations
type Loose = any;

/** The first recorded success of an operation whose body passes `has`, as traffic that can be changed. */
function recorded(id: string, has: (body: Loose) => boolean = () => true): Traffic & { responseBody: Loose } {
  const operation = operations.find((one) => one.id === id) as Operation;
  const path = new RegExp(`/2025-10-13${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  for (const file of readdirSync(examples).filter((name) => name.startsWith('prism-'))) {
    for (const { request, response } of JSON.parse(readFileSync(join(examples, file), 'utf8')).log.entries) {
      const { pathname, search } = new URL(request.url);
      if (request.method !== operation.method || !path.test(pathname) || response.status >= 300) continue;
      const body = response.content.text === undefined ? undefined : JSON.parse(response.content.text);
      if (!has(body)) continue;
      const sent = request.postData?.text;
      return {
        method: request.method,
        url: pathname.replace('/2025-10-13', '') + search,
        ...(sent === undefined ? {} : { requestBody: sent }),
        status: response.status,
        responseBody: body,
      };
    }
  }
  throw new Error(`${id} is not recorded so`);
}

/** `place pointer rule: basis` of each finding. */
function found(traffic: Traffic): string[] {
  const verdict = judge(contract, toExchange(toEntry(traffic)));
  if (verdict.kind !== 'judged') throw new Error(`skipped: ${verdict.reason}`);
  return verdict.breaches.map(
    (breach) =>
      `${breach.in}${breach.pointer} ${breach.rule.replace('schema/', '')}: ${breach.basis.decisions.map(({ id }) => id).join(' ') || breach.basis.level}`,
  );
}

const isWallet = (body: Loose) => body.source?.sourceType === 'ACCOUNT';

type Change = (body: Loose) => void;
type Row = [what: string, id: string, change: Change, findings: string[], has?: (body: Loose) => boolean];

/** Differences that a service may have although it keeps the interface. Each is a question to its owner. */
const assumed: Row[] = [
  [
    'an external account without beneficiaryVerificationStatus',
    'listExternalAccounts',
    ({ data }) => delete data[0].beneficiaryVerificationStatus,
    ['response.body/data/0/beneficiaryVerificationStatus required: D40'],
  ],
  [
    'an internal account without type',
    'listInternalAccounts',
    ({ data }) => delete data[0].type,
    ['response.body/data/0/type required: D36'],
  ],
  [
    'a quote whose source has no currency',
    'createQuote',
    ({ source }) => delete source.currency,
    ['response.body/source/currency required: D77'],
    isWallet,
  ],
  [
    'a transaction without fees, exchangeRate and sentAmount',
    'getAgentAction',
    ({ transaction }) => {
      delete transaction.fees;
      delete transaction.exchangeRate;
      delete transaction.sentAmount;
    },
    [
      'response.body/transaction/sentAmount required: D90',
      'response.body/transaction/exchangeRate required: D90',
      'response.body/transaction/fees required: D90',
    ],
    (body) => body.transaction?.sentAmount !== undefined,
  ],
  [
    'an address without a state: one field of the list is marked optional, which requires none',
    'updateCustomer',
    ({ address }) => delete address.state,
    ['response.body/address/state required: D35'],
    (body) => body.address !== undefined,
  ],
  [
    'a status of an account that the interface does not show',
    'listInternalAccounts',
    ({ data }) => {
      data[0].status = 'UNDER_REVIEW';
    },
    ['response.body/data/0/status enum: D36 D67'],
  ],
  [
    'an id with a letter that ours do not have',
    'createQuote',
    (body) => {
      body.id = 'Quote:a_b';
    },
    ['response.body/id pattern: D88'],
  ],
  [
    'a time as ISO 8601 has it and RFC 3339 has not',
    'createQuote',
    (body) => {
      body.createdAt = '2025-10-13T09:00:00+0100';
    },
    ['response.body/createdAt format: D37'],
  ],
  [
    'a fraction as a fixed fee: the interface says "numbers"',
    'createQuote',
    ({ rateDetails }) => {
      rateDetails.counterpartyFixedFee = 0.5;
    },
    ['response.body/rateDetails/counterpartyFixedFee type: D27'],
  ],
  [
    'a code where ours has the whole currency',
    'getAgentAction',
    ({ transaction }) => {
      transaction.receivedAmount.currency = 'USD';
    },
    ['response.body/transaction/receivedAmount/currency type: D88'],
    (body) => body.transaction?.sentAmount !== undefined,
  ],
  [
    'a business without its statuses',
    'updateCustomer',
    (body) => delete body.kybStatus,
    ['response.body/kybStatus required: D23 D35'],
    (body) => body.customerType === 'BUSINESS',
  ],
];

/** Differences that break the interface itself. */
const given: Row[] = [
  [
    'a field too many in the reply to a registration',
    'createCredential',
    (body) => {
      body.email = 'ada@example.com';
    },
    ['response.body/email unevaluatedProperties: given'],
    (body) => body.id !== undefined,
  ],
  [
    'a credential without a field that is required',
    'createCredential',
    (body) => delete body.nickname,
    ['response.body/nickname required: given'],
    (body) => body.id !== undefined,
  ],
  [
    'an id of another type',
    'createQuote',
    (body) => {
      body.id = 'Transaction:1';
    },
    ['response.body/id pattern: given'],
  ],
  [
    'a value outside a list of the interface',
    'createQuote',
    (body) => {
      body.status = 'DONE';
    },
    ['response.body/status enum: given'],
  ],
  [
    'a text for an amount',
    'createQuote',
    (body) => {
      body.feesIncluded = '0';
    },
    ['response.body/feesIncluded type: given'],
  ],
  [
    'fees below zero',
    'createQuote',
    (body) => {
      body.feesIncluded = -1;
    },
    ['response.body/feesIncluded minimum: given'],
  ],
  [
    'an invalid time',
    'createQuote',
    (body) => {
      body.createdAt = 'yesterday';
    },
    ['response.body/createdAt format: given'],
  ],
  [
    'an action of an unknown type',
    'getAgentAction',
    (body) => {
      body.type = 'TRANSFER';
    },
    ['response.body/type discriminator: given'],
  ],
  [
    'a list without its envelope',
    'listInternalAccounts',
    (body) => delete body.hasMore,
    ['response.body/hasMore required: given'],
  ],
  [
    'a person without a UMA address',
    'updateCustomer',
    (body) => delete body.umaAddress,
    ['response.body/umaAddress required: given'],
    (body) => body.customerType === 'INDIVIDUAL',
  ],
];

/** For calls outside the interface's operations, everything is assumed. */
const supporting: Row[] = [
  [
    'a transaction without fees',
    'getTransaction',
    (body) => delete body.fees,
    ['response.body/fees required: D90 D01'],
    (body) => body.type === 'OUTGOING',
  ],
  [
    'an id of another type',
    'getCustomer',
    (body) => {
      body.id = 'Quote:1';
    },
    ['response.body/id pattern: D01'],
    (body) => body.id !== undefined,
  ],
];

test.each([...assumed, ...given, ...supporting])('%s (%s)', (_what, id, change, findings, has) => {
  const traffic = structuredClone(recorded(id, has));
  expect(found(traffic)).toEqual([]);
  change(traffic.responseBody);
  expect(found(traffic).sort()).toEqual(findings.toSorted());
});

describe("what isn't a schema of a reply", () => {
  const quote = () => recorded('createQuote', isWallet);
  const list = { data: [], hasMore: false, totalCount: 0 };
  const listed: Traffic = { url: '/customers/internal-accounts', status: 200, responseBody: list };
  const wallet = 'InternalAccount:019305a2-4c50-7a51-8e0f-2b6f7a8c9d01';
  const credentials: Traffic = {
    url: `/auth/credentials?accountId=${wallet}`,
    status: 200,
    responseBody: { data: [] },
  };
  const refusal = { status: 400, code: 'INVALID_INPUT', message: 'No.' };
  const rows: [what: string, traffic: () => Traffic, findings: string[]][] = [
    [
      'a success status that is not shown',
      () => ({ ...quote(), status: 200 }),
      ['response.status undocumented-status: D09'],
    ],
    ['one that is given', () => ({ ...credentials, status: 206 }), ['response.status undocumented-status: given']],
    ['a refusal', () => ({ ...listed, status: 418 }), ['response.status undocumented-status: D05']],
    [
      'a code of another operation',
      () => ({ ...listed, status: 400, responseBody: { ...refusal, code: 'LAST_CREDENTIAL' } }),
      ['response.body/code enum: D05'],
    ],
    [
      "a code that isn't text",
      () => ({ ...listed, status: 400, responseBody: { ...refusal, reason: 7 } }),
      ['response.body/reason type: given'],
    ],
    [
      'a code of the transport',
      () => ({ ...listed, status: 503, responseBody: { status: 503, code: 'NO', message: '.' } }),
      ['response.body/code enum: D44'],
    ],
    [
      'a filter',
      () => ({ ...listed, url: '/customers/internal-accounts?type=WALLET' }),
      ['request.query/type enum: D36'],
    ],
    [
      'a page size',
      () => ({ ...listed, url: '/customers/internal-accounts?limit=101' }),
      ['request.query/limit maximum: given'],
    ],
    [
      'an unknown parameter',
      () => ({ ...listed, url: '/customers/internal-accounts?page=2' }),
      ['request.query/page undocumented-parameter: D06'],
    ],
    [
      'a parameter that is missing',
      () => ({ ...credentials, url: '/auth/credentials' }),
      ['request.query/accountId required: D87'],
    ],
    ['a path that no operation has', () => ({ ...listed, url: '/widgets' }), ['request.path undocumented-path: D01']],
    [
      'an HTML page',
      () => ({ ...listed, responseHeaders: { 'content-type': 'text/html' } }),
      ['response.headers/Content-Type media-type: given'],
    ],
    [
      'another kind of JSON',
      () => ({ ...listed, responseHeaders: { 'content-type': 'application/hal+json' } }),
      ['response.headers/Content-Type media-type: D56'],
    ],
    ['half a body', () => ({ ...listed, responseBody: '{"data":' }), ['response.body not-json: given']],
    [
      'half a body of an operation that the interface does not name',
      () => ({ ...listed, url: '/customers', responseBody: '{"data":' }),
      ['response.body not-json: given'],
    ],
    ['no body', () => ({ url: '/customers/internal-accounts', status: 200 }), ['response.body missing-body: given']],
    [
      'a header that the interface demands',
      () => ({
        method: 'POST',
        url: '/auth/credentials/AuthMethod:1/challenge',
        status: 429,
        responseBody: { ...refusal, status: 429, code: 'RATE_LIMITED' },
      }),
      ['response.headers/Retry-After required: given'],
    ],
    [
      'an amount above the limit of the interface',
      () => ({
        ...quote(),
        requestBody: { ...JSON.parse(String(quote().requestBody)), lockedCurrencyAmount: 9_000_000_000_000_001 },
      }),
      ['request.body/lockedCurrencyAmount maximum: given'],
    ],
    [
      "a key that isn't a UUID",
      () => ({ ...quote(), requestHeaders: { 'idempotency-key': 'one' } }),
      ['request.headers/Idempotency-Key format: given'],
    ],
    [
      'the same where the interface names no key',
      () => ({ ...recorded('createTransferOut'), requestHeaders: { 'idempotency-key': 'one' } }),
      ['request.headers/Idempotency-Key format: D10'],
    ],
    [
      'a field too many in a request',
      () => ({ ...quote(), requestBody: { ...JSON.parse(String(quote().requestBody)), note: 'x' } }),
      ['request.body/note additionalProperties: D06'],
    ],
  ];
  test.each(rows)('%s', (_what, traffic, findings) => {
    expect(found(traffic()).sort()).toEqual(findings.toSorted());
  });

  test('every rule of the kit has an answer, and every decision a title', () => {
    const basisOf = createBasis(bundle);
    const at = { operation: undefined, status: 200, in: 'response.body', pointer: '', body: () => undefined };
    const bases = Object.keys(rules).map((rule) => [rule, basisOf({ ...at, rule })] as const);
    const known = bases.flatMap(([, basis]) => (basis === 'given' ? [] : basis));
    expect(known.filter((id) => decisionTitles[id] === undefined)).toEqual([]);
    // Rules about one operation rest on what the contract says there.
    const silent = bases.filter(([, basis]) => basis === 'given').map(([rule]) => rule);
    expect(silent).toEqual(['undocumented-status', 'unexpected-body', 'not-json', 'unrecorded-body']);
  });
});

describe('--fail-on', () => {
  const lacking = recorded('listInternalAccounts');
  delete lacking.responseBody.data[0].type;
  const broken = recorded('listInternalAccounts');
  broken.responseBody.data[0].balance.amount = '1';
  const file = async (...traffic: Traffic[]) => writeRecording(toHar(traffic.map(toEntry)));
  /** A recording of the sandbox, with an added entry. */
  const own = async () => {
    const { body } = await (await openSandbox()).control('GET', '/journal?format=har');
    return writeRecording(JSON.stringify({ log: { ...body.log, entries: [toEntry(lacking)] } }));
  };

  test.each([
    [
      'what is assumed is shown, counted apart, and passes',
      () => file(lacking),
      [],
      0,
      /: 0 findings, and 1 assumed\.\n$/,
    ],
    ['unless it is asked for', () => file(lacking), ['--fail-on', 'assumed'], 1, /: 1 finding\.\n$/],
    ['what is given fails', () => file(lacking, broken), [], 1, /: 1 finding, and 1 assumed\.\n$/],
    ['a recording of the sandbox itself is held to all', own, [], 1, /: 1 finding\.\n$/],
    ['unless told otherwise', own, ['--fail-on', 'given'], 0, /: 0 findings, and 1 assumed\.\n$/],
  ])('%s', async (_what, recording, flags, code, says) => {
    const run = await checkPlainly(...flags, await recording());
    expect([run.code, run.stdout]).toEqual([code, expect.stringMatching(says)]);
    if (run.stdout.includes('/data/0/type'))
      expect(run.stdout).toContain('(schema/required; assumed: D36 Internal accounts)');
  });

  test('another word is refused', async () => {
    const run = await checkPlainly('--fail-on', 'all', await file(lacking));
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining('--fail-on takes given or assumed, not "all".'),
    ]);
  });

  test('JSON and SARIF carry the basis', async () => {
    const recording = await file(lacking, broken);
    const decisions = [{ id: 'D36', title: 'Internal accounts' }];
    const json = JSON.parse((await checkPlainly('--format', 'json', recording)).stdout);
    expect(json.findings.map(({ basis, fails }: Loose) => ({ basis, fails }))).toEqual([
      { basis: { level: 'assumed', decisions }, fails: false },
      { basis: { level: 'given', decisions: [] }, fails: true },
    ]);
    expect(json.summary).toMatchObject({ findings: 2, failing: 1 });
    const sarif = JSON.parse((await checkPlainly('--format', 'sarif', recording)).stdout);
    expect(sarif.runs[0].results.map(({ level, properties }: Loose) => [level, properties.basis.level])).toEqual([
      ['note', 'assumed'],
      ['error', 'given'],
    ]);
    expect(sarif.runs[0].results[0].message.text).toContain('(assumed: D36 Internal accounts)');
    expect(describeBasis(json.findings[1].basis)).toBe('given');
  });

  test('so do annotations and JUnit, where what is assumed fails nothing', async () => {
    const recording = await file(lacking, broken);
    const { stdout: annotations } = await checkPlainly('--format', 'github', recording);
    expect(annotations).toMatch(/^::notice .*; assumed: D36 Internal accounts\)\n::error .*; given\)\n/);
    const { stdout: cases } = await checkPlainly('--format', 'junit', recording);
    expect(cases.match(/<skipped message="[^"]*\(assumed: D36 Internal accounts\)"\/>/g)).toHaveLength(1);
    expect(cases.match(/<failure [^>]*\(given\)"/g)).toHaveLength(1);
  });
});

describe('check --basis', () => {
  test('lists per operation what is given and what is assumed, with its decisions', async () => {
    const { code, stdout } = await checkPlainly('--basis', 'createQuote');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^createQuote, POST \/quotes \(given\)\n {2}given\n[\s\S]* {2}assumed: D09 Success statuses\n {4}the statuses of a success: 201\n/m,
    );
    expect(stdout).toMatch(
      /^AccountSource \(given\)\n[\s\S]*? {2}assumed: D77 Sources and destinations\n {4}required: currency\n/m,
    );
    expect(stdout).not.toContain('listTokens');
  });

  test('as JSON, of every operation', async () => {
    const { stdout } = await check('--basis', '--format', 'json');
    const list = JSON.parse(stdout);
    expect(list.operations.map(({ name }: Loose) => name).sort()).toEqual(operations.map(({ id }) => id).sort());
    const { facts } = list.types.find(({ name }: Loose) => name === 'InternalAccount');
    expect(facts).toContainEqual({
      of: '',
      what: 'required',
      detail: 'type',
      basis: { level: 'assumed', decisions: [{ id: 'D36', title: 'Internal accounts' }] },
    });
    expect(list.everywhere.length).toBeGreaterThan(5);
  });

  test.each([
    [['--basis', 'createQuotes'], 'The contract has no operation createQuotes.'],
    [['--basis', '--format', 'sarif'], '--basis takes --format text or json.'],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await checkPlainly(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
