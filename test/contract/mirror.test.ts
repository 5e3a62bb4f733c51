/**
 * Promise: an operation's id is the name of its YAML, its handler and its test, each in the folder of its domain. Those
 * folders have no other files. A status or a code that no test received is reported.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { operations } from '../../generated/operations.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { readHouseWords } from '../../scripts/lib/house.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { bundle } from '../support/expect/apiError.ts';
import { entryOf } from '../support/ledger/coverage.ts';
import { ledgerGaps } from '../support/run/reporter.ts';
import { baseUrl, basic, openSandbox } from '../support/sandbox/harness.ts';

const { domains } = readHouseWords();
const places = operations.map(({ domain, id }) => `${domain}/${id}`).sort();

/** Files with an ending in the domains' folders below a folder: `domain/name`, without the ending. */
function filesBelow(folder: string, ending: string): string[] {
  return domains
    .filter((domain) => existsSync(join(projectRoot, folder, domain)))
    .flatMap((domain) =>
      readdirSync(join(projectRoot, folder, domain))
        .filter((name) => name.endsWith(ending))
        .map((name) => `${domain}/${name.slice(0, -ending.length)}`),
    )
    .sort();
}

const notShared = (name: string) => !/\/(?:rules|records|procedures)$/.test(name);

describe('files and operations mirror each other', () => {
  test('every operation is of a domain', () => {
    for (const { domain } of operations) expect(domains).toContain(domain);
  });

  test('one YAML file per operation', () => {
    expect(filesBelow('openapi/paths', '.yaml')).toEqual(places);
  });

  test('each YAML file holds the operation that it is named after', () => {
    for (const { domain, id } of operations) {
      const file = join(projectRoot, 'openapi/paths', domain, `${id}.yaml`);
      expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ operationId: id, tags: [domain] });
    }
  });

  test('one handler file per operation, beside rules, records and procedures', () => {
    expect(filesBelow('mocks/sandbox/domains', '.ts').filter(notShared)).toEqual(places);
  });

  test('one test file per operation, beside those of themes that several share', () => {
    expect(filesBelow('test', '.test.ts')).toEqual(expect.arrayContaining(places));
  });

  test('the handlers are listed by id', () => {
    expect(Object.keys(handlers)).toEqual(operations.map(({ id }) => id).sort());
  });

  test('the folders are domains', () => {
    for (const folder of ['openapi/paths', 'mocks/sandbox/domains']) {
      const folders = readdirSync(join(projectRoot, folder), { withFileTypes: true }).filter((e) => e.isDirectory());
      for (const { name } of folders) expect(domains).toContain(name);
    }
  });
});

test('every reply is JSON, and one with 204 nothing: what the ledger counts on', () => {
  for (const { id, path, method, statuses } of operations) {
    for (const status of statuses) {
      const reply = bundle.paths[path][method.toLowerCase()].responses[status];
      const { content = {} } =
        reply.$ref === undefined ? reply : bundle.components.responses[reply.$ref.split('/').at(-1)];
      expect([id, status, Object.keys(content)]).toEqual([id, status, status === 204 ? [] : ['application/json']]);
    }
  }
});

describe('the ledger of statuses and codes', () => {
  const codes = { 404: ['QUOTE_NOT_FOUND'], 409: ['CONFLICT', 'INSUFFICIENT_FUNDS'] } as const;
  const declared = [{ id: 'getQuote', statuses: [200, 404, 409], codes }] as const;
  const answer = (status: number, code?: string, operationId = 'getQuote') => ({
    operationId,
    status,
    ...(code === undefined ? {} : { code }),
  });
  const all = [answer(200), answer(404, 'QUOTE_NOT_FOUND'), answer(409, 'CONFLICT'), answer(409, 'INSUFFICIENT_FUNDS')];

  test('all received, no gap', () => {
    expect(ledgerGaps(declared, [...all, answer(500, 'INTERNAL_ERROR'), answer(200)])).toEqual([]);
  });

  test.each(all)('case 127: $status $code that no test received is a gap', (missing) => {
    const others = all.filter((one) => one !== missing);
    expect(ledgerGaps(declared, others)).toEqual([missing]);
  });

  test('another operation, status or code does not fill it', () => {
    const [, , , missing] = all;
    const similar = [answer(409, 'INSUFFICIENT_FUNDS', 'createQuote'), answer(400, 'INSUFFICIENT_FUNDS'), answer(409)];
    expect(ledgerGaps(declared, [...all.slice(0, 3), ...similar])).toEqual([missing]);
  });

  test('a code of the transport is received once, wherever', () => {
    const transport = { 405: ['METHOD_NOT_ALLOWED'] };
    expect(ledgerGaps([], [], transport)).toEqual([answer(405, 'METHOD_NOT_ALLOWED', 'transport')]);
    expect(ledgerGaps([], [answer(405, 'METHOD_NOT_ALLOWED')], transport)).toEqual([]);
  });

  test('what was asked for by name does not count; the answer can still be read', async () => {
    const { fetch } = await openSandbox();
    const url = `${baseUrl}/customers/Customer:none`;
    const ask = (headers: Record<string, string>) => {
      const request = new Request(url, { headers: { authorization: basic('sandbox', 'sandbox'), ...headers } });
      return fetch(request).then(async (response) => [
        await entryOf(request, response.clone()),
        (await response.json()).code,
      ]);
    };
    const refusal = { operationId: 'getCustomer', status: 404, code: 'USER_NOT_FOUND' };
    expect(await ask({})).toEqual([refusal, refusal.code]);
    expect(await ask({ prefer: 'code=404' })).toEqual([undefined, refusal.code]);
    expect(await ask({ prefer: 'code=418' })).toMatchObject([{ status: 400, code: 'INVALID_INPUT' }, 'INVALID_INPUT']);
  });
});
