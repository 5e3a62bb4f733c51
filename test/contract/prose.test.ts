/**
 * Promise: paths, codes, suffixes and numbers in descriptions, messages and pages are true. Every planted false
 * sentence is found, and the true sentences beside it aren't (R27).
 */
import { describe, expect, test } from 'vitest';
import { strangeCitationsIn } from '../../scripts/check/prose/citations.ts';
import {
  findStrangePairs,
  findUnexplainedStatuses,
  findUnmentionedReasons,
} from '../../scripts/check/prose/contract.ts';
import { findIdleClaims } from '../../scripts/check/prose/numbers.ts';
import { falseIn, findFalseProse, readTruth } from '../../scripts/check/prose.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { bundle } from '../support/expect/apiError.ts';

const contract = bundle as ContractDocument;
const truth = await readTruth(projectRoot, contract);
const faults = (text: string, operationId?: string): string[] =>
  falseIn({ where: 'here', text, ...(operationId && { operationId }) }, truth);

test('the project says nothing false', async () => {
  expect(await findFalseProse(projectRoot, contract)).toEqual([]);
});

describe('a false sentence is found', () => {
  test.each<[what: string, text: string, found: RegExp, operationId?: string]>([
    ['a path', 'as `POST /external-accounts` does', /^there is no POST \/external-accounts$/],
    [
      'a path over two lines',
      'as `DELETE\n/external-accounts/{externalAccountId}` does',
      /^there is no DELETE \/external-accounts/,
    ],
    ['a method of a path', 'send `PUT /quotes/{quoteId}`', /^there is no PUT \/quotes\/\{quoteId\}$/],
    ['a path by itself', 'below `/agents/you`', /^there is no path \/agents\/you$/],
    ['a route of the control surface', 'ask `GET /__sandbox/mailbox`', /^there is no GET \/__sandbox\/mailbox$/],
    ['a code with another status', 'the answer is 400 `CONFLICT`', /^CONFLICT does not come with 400$/],
    ['a code', 'the answer is `NO_SUCH_THING`', /^the contract has no NO_SUCH_THING$/],
    ['a status of another operation', 'An old one is 410.', /^the operation declares no 410$/, 'listTokens'],
    ['a decision', 'settled by D00', /^there is no decision D00$/],
    ['a house rule', 'which breaks R99', /^there is no house rule R99$/],
    ['an amount in smallest units', 'At most 50000 USD units may move.', /written with 2 to 2 decimals/],
    ['an amount without decimals', 'At most 500 USD can move.', /written with 2 to 2 decimals/],
    ['an amount with too many', 'It costs 500.00 JPY.', /written with 0 to 0 decimals/],
    ['a lifetime', 'A session lives 20 minutes.', /the life of a session is 15$/],
    ['a count', 'approvals: 74 operations. [openapi/openapi.yaml](x)', /the number of operations is \d+$/],
  ])('%s', (_what, text, found, operationId) => {
    expect(faults(text, operationId)).toEqual([expect.stringMatching(found)]);
  });

  const transfers = (change: (row: string) => string): string =>
    `A transfer\n\n${[
      '| Ends in | Status | Money |',
      '|---|---|---|',
      '| `002` | FAILED, `INSUFFICIENT_FUNDS` | no balance changes |',
      '| `003` | FAILED, `ACCOUNT_CLOSED` | no balance changes |',
      '| `004` | FAILED, `REJECTED_BY_BANK` | no balance changes |',
      '| `005` | PENDING, after 30 seconds FAILED, `TIMED_OUT` | is off the balance meanwhile, and back then |',
      '| anything else | COMPLETED | arrives at once |',
    ]
      .map(change)
      .join('\n')}\n`;

  test.each<[what: string, text: string, found: RegExp]>([
    ['a suffix that is missing', transfers((row) => (row.includes('004') ? '|-|-|-|' : row)), /lacks 004$/],
    ['a suffix too many', transfers((row) => row.replace('004', '009')), /has 009, which selects nothing$/],
    ['another reason', transfers((row) => row.replace('ACCOUNT_CLOSED', 'TIMED_OUT')), /003 lacks ACCOUNT_CLOSED$/],
    ['another time', transfers((row) => row.replace('30 seconds', '6 minutes')), /005 takes 30 seconds, not 360$/],
    [
      'money that comes back',
      transfers((row) => (row.includes('002') ? row.replace('no balance changes', 'is back at once') : row)),
      /with 002 no money comes back$/,
    ],
    [
      'quotes over a table of transfers',
      transfers(String).replace('A transfer', 'A transfer, and an account that pays a quote'),
      /a table of transfers is not one of quotes$/,
    ],
    [
      'a receiver that is missing',
      [
        '| Address | Outcome |',
        '|---|---|',
        ...['success.usd', 'success.eur', 'success.mxn'].map(
          (name) => `| \`$${name}\` | ${name.slice(-3).toUpperCase()}, succeeds |`,
        ),
        '| `$pending.long.usd` | USD, after six minutes succeeds |',
        '| `$fail.compliance.usd` | USD, fails |',
      ].join('\n'),
      /the table of receivers lacks \$non\.existent\.usd$/,
    ],
  ])('in a table of suffixes: %s', (_what, text, found) => {
    expect(faults(text)).toContainEqual(expect.stringMatching(found));
  });

  test('a table that is right has no fault', () => {
    expect(faults(transfers(String))).toEqual([]);
  });
});

test('what is true is left alone', () => {
  const text = `\`POST /customers/external-accounts\`, \`GET /quotes/Quote:1\`, \`/agents/me\`, \`GET /__sandbox/clock\`: 409
    \`CONFLICT\`, 245.00 USDB, 10.123456 USDC, 5 JPY. A session lives 15 minutes (D13, R26), \`COUNTERSIGN_LONG\`.`;
  expect(faults(text)).toEqual([]);
});

/** The contract with one change. */
// biome-ignore lint/suspicious/noExplicitAny: a test may change any part
function changed(change: (contract: any) => void): ContractDocument {
  const copy = structuredClone(contract);
  change(copy);
  return copy;
}

describe('a comment that cites what a reader does not have', () => {
  const document = 'INTERFACE';

  test.each([
    ['in a docstring', `/** The stamp of a session (${document}, Authentication 4). */`],
    ['on a later line', `/**\n * A stamp (D17;\n * ${document}).\n */`],
    ['behind code', `const a = 1; // as ${document} says`],
    ['in YAML', `  # ${document}, Limits\n`],
    ['in the title of a test', `describe('outcomes (${document}, Sandbox behaviour)', () => {`],
  ])('is found %s', (_, text) => {
    expect(strangeCitationsIn(text)).toEqual([expect.stringMatching(/^\d: cites .*Cite the decision/)]);
  });

  test.each(['/** As D17 and `ARCHITECTURE.md` say. */', '// the interface says so', `const ${document} = 1;`])(
    'and %s is fine',
    (text) => expect(strangeCitationsIn(text)).toEqual([]),
  );
});

describe('what only the whole contract shows', () => {
  test('a status that nothing explains', () => {
    const silent = changed(({ components }) => {
      components.schemas.QuoteStatus.description = 'PENDING: it can be executed. EXPIRED: too late.';
    });
    expect(findUnexplainedStatuses(silent)).toEqual(['QuoteStatus: nothing explains PROCESSING, COMPLETED, FAILED']);
  });

  test('a filter by a status that nothing explains', () => {
    const silent = changed(({ paths }) => {
      paths['/transactions'].get.parameters.find((one: { name?: string }) => one.name === 'status').description =
        'Only those that have come so far.';
    });
    expect(findUnexplainedStatuses(silent)).toEqual([
      expect.stringMatching(/^listTransactions status: nothing explains CREATED, PENDING, /),
    ]);
  });

  test('a reason that a refusal tells and the description does not', () => {
    const silent = changed(({ paths }) => {
      paths['/customers/{customerId}'].delete.description = 'While an account holds money, that is 409.';
    });
    expect(findUnmentionedReasons(silent)).toEqual([
      expect.stringMatching(/^deleteCustomer: a refusal says "on its way"/),
    ]);
  });

  test('a first request and a first reply of two calls', () => {
    const mixed = changed(({ paths }) => {
      const { examples } = paths['/customers/external-accounts'].post.requestBody.content['application/json'];
      paths['/customers/external-accounts'].post.requestBody.content['application/json'].examples = {
        usdBank: examples.usdBank,
        ...examples,
      };
    });
    expect(findStrangePairs(mixed)).toContainEqual(
      expect.stringMatching(/^createExternalAccount: the first request \(usdBank\) has another currency /),
    );
  });

  test('a claim that nothing makes any more', () => {
    const claims = [{ form: /(\d+) unicorns/, is: 3, what: 'the number of unicorns' }];
    expect(findIdleClaims(['no such sentence'], { ...truth, claims })).toEqual([
      expect.stringMatching(/^nothing says/),
    ]);
  });
});
