/**
 * Promise: the ledger names everything in the contract that no test has seen: a request property that is accepted and
 * ignored, a property of a reply, an enum value, a header. It also names an exception that isn't needed.
 */
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { bundle } from '../support/expect/apiError.ts';
import { nameGaps } from '../support/ledger/ledgerGaps.ts';
import { readLedgerNames } from '../support/ledger/ledgerNames.ts';
import { watchHandlers } from '../support/ledger/ledgerWatch.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { bankAccount, fromAccount, openPayer, quoteRequest, toAccount } from '../support/scenes/payments.ts';

/** The contract with a planted change, made in a copy. */
function plant(change: (copy: typeof bundle) => void): typeof bundle {
  const copy = structuredClone(bundle);
  change(copy);
  return copy;
}

/** A sandbox with a contract, whose requests and replies go to a separate ledger. */
async function openWatched(
  contract: ContractDocument,
  given: typeof handlers = handlers,
  loaded = loadContract(contract as never),
) {
  const seen = new Set<string>();
  const names = readLedgerNames(contract);
  const watched = watchHandlers(names, given, (name) => seen.add(name));
  const sandbox = await openSandbox({ contract: loaded, handlers: watched.handlers });
  const none = { answered: {}, unreachable: {} };
  const gaps = () => nameGaps(readLedgerNames(contract).all(), seen, none).map((line) => line.replace(/^.*: /, ''));
  return { sandbox, seen, gaps };
}

const schemas = (copy: typeof bundle) => copy.components.schemas;
const text = { type: 'string', maxLength: 50 };

describe('a property that is declared in the request and the reply of POST /quotes', () => {
  const contract = plant((copy) => {
    schemas(copy).QuoteCreateRequest.properties.externalReference = text;
    schemas(copy).Quote.properties.externalReference = text;
  });
  const loaded = loadContract(contract);
  const own = (gaps: readonly string[]) => gaps.filter((name) => name.includes('externalReference'));
  const dropped = ['replies have Quote.externalReference'];

  async function quoteWith(change: object, given?: typeof handlers) {
    const { sandbox, gaps } = await openWatched(contract, given, loaded);
    const payer = await openPayer(sandbox);
    const bank = await bankAccount(sandbox, '777');
    const body = quoteRequest(fromAccount(payer.account('EUR')), toAccount(bank), change);
    must(await sandbox.send('POST', '/quotes', { body }), 201);
    return own(gaps());
  }

  test('and that nobody sends is named', async () => {
    const requests = ['createQuote', 'createAgentQuote'].flatMap((id) =>
      ['takes', 'uses'].map((verb) => `${id} ${verb} QuoteCreateRequest.externalReference`),
    );
    expect((await quoteWith({})).sort()).toEqual([...dropped, ...requests].sort());
  });

  test('and that is sent and dropped is named', async () => {
    const gaps = await quoteWith({ externalReference: 'order 17' });
    expect(gaps).toEqual(expect.arrayContaining([...dropped, 'createQuote uses QuoteCreateRequest.externalReference']));
    expect(gaps).not.toContain('createQuote takes QuoteCreateRequest.externalReference');
  });

  const replying = (change: (sent: unknown) => unknown): typeof handlers => {
    const { createQuote } = handlers;
    type Given = Parameters<typeof createQuote.handle>;
    const handle = (async (call: Given[0], unit: Given[1], prepared: Given[2]) => {
      const reply = (await createQuote.handle(call, unit, prepared)) as { readonly body: object };
      const sent = (call.body as { readonly externalReference?: string }).externalReference;
      return { ...reply, body: { ...reply.body, externalReference: change(sent) } };
    }) as unknown as typeof createQuote.handle;
    return { ...handlers, createQuote: { ...createQuote, handle } };
  };

  test('and that comes back as another value is named', async () => {
    const gaps = await quoteWith(
      { externalReference: 'order 17' },
      replying(() => 'order 18'),
    );
    expect(gaps).toContain('createQuote uses QuoteCreateRequest.externalReference');
    expect(gaps).not.toContain('replies have Quote.externalReference');
  });

  test("and that comes back isn't named", async () => {
    const gaps = await quoteWith(
      { externalReference: 'order 17' },
      replying((sent) => sent),
    );
    expect(gaps.filter((name) => !name.startsWith('createAgentQuote'))).toEqual([]);
  });
});

test('a parameter that changes nothing is named, one that does is not', async () => {
  const contract = plant((copy) => {
    copy.paths['/customers'].get.parameters.push({ name: 'colour', in: 'query', schema: { type: 'string' } });
  });
  const { sandbox, gaps } = await openWatched(contract);
  const uses = (name: string) => gaps().includes(`listCustomers uses query ${name}`);
  for (const query of ['', '?colour=red', '?colour=blue', '?customerType=BUSINESS']) {
    must(await sandbox.send('GET', `/customers${query}`), 200);
  }
  expect([uses('colour'), uses('customerType')]).toEqual([true, false]);
  // A change between two replies may be the reason for their difference.
  must(await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }), 201);
  must(await sandbox.send('GET', '/customers?colour=green'), 200);
  expect(uses('colour')).toBe(true);
});

test('a value of an enum is named until a reply has it, and until a request did', async () => {
  const contract = plant((copy) => {
    schemas(copy).KycStatus.enum.push('ON_HOLD');
  });
  const { sandbox, gaps } = await openWatched(contract);
  const named = () => gaps().filter((name) => name.endsWith('kycStatus = ON_HOLD'));
  const every = named();
  expect(every).toEqual(
    expect.arrayContaining([
      'replies have IndividualCustomer.kycStatus = ON_HOLD',
      'requests have IndividualCustomerUpdateRequest.kycStatus = ON_HOLD',
    ]),
  );
  const { body } = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
  const change = { customerType: 'INDIVIDUAL', kycStatus: 'ON_HOLD' };
  must(await sandbox.send('PATCH', `/customers/${body.id}`, { body: change }), 200);
  expect(every.filter((name) => !named().includes(name))).toEqual([
    'replies have IndividualCustomer.kycStatus = ON_HOLD',
    'requests have IndividualCustomerUpdateRequest.kycStatus = ON_HOLD',
  ]);
});

test('a header of a reply and one of a request are named', () => {
  const contract = plant((copy) => {
    copy.paths['/quotes'].post.responses['201'].headers['X-Planted'] = { schema: text };
    copy.components.responses.Unauthorized.headers['X-Planted'] = { schema: text };
    copy.paths['/quotes'].post.parameters.push({ name: 'X-Asked', in: 'header', schema: text });
  });
  const planted = readLedgerNames(contract)
    .all()
    .filter((name) => /X-(?:Planted|Asked)/.test(name));
  expect(planted.sort()).toEqual([
    'Unauthorized has the header X-Planted',
    'createQuote 201 has the header X-Planted',
    'createQuote takes header X-Asked',
    'createQuote uses header X-Asked',
  ]);
  const { headers } = readLedgerNames(contract);
  expect(headers('createToken', 401).map(({ name }) => name)).toEqual(['WWW-Authenticate', 'X-Planted']);
});

describe('exceptions', () => {
  const names = ['createQuote uses Q.a', 'createAgentQuote uses Q.a', 'replies have Q.b', 'replies have Q.c'];
  const say = (seen: readonly string[], answered: readonly string[], unreachable: readonly string[]) =>
    nameGaps(names, new Set(seen), {
      answered: Object.fromEntries(answered.map((name) => [name, 'for a reason'])),
      unreachable: Object.fromEntries(unreachable.map((name) => [name, 'for a reason'])),
    });
  const unneeded = (name: string) =>
    `an exception that nothing needs (test/support/ledger/ledgerExceptions.ts): ${name}`;

  test('excuse what they name', () => {
    expect(say(['replies have Q.b'], ['Q.a'], ['replies have Q.c'])).toEqual([]);
    expect(say(['replies have Q.b'], ['Q.a'], [])).toEqual(['declared but never seen in a test: replies have Q.c']);
  });

  test('that nothing needs are named', () => {
    expect(say(names, ['Q.a'], ['replies have Q.c'])).toEqual([unneeded('Q.a'), unneeded('replies have Q.c')]);
    expect(say(names, ['Q.gone'], [])).toEqual([unneeded('Q.gone')]);
    // One operation that doesn't answer it is enough.
    expect(say(names.slice(1), ['Q.a'], [])).toEqual([]);
  });
});
