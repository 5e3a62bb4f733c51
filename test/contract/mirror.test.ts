/**
 * Promise: one operation id names its YAML, its handler and its test, in the folder of its domain; nothing in those
 * folders belongs to no operation; and a status that no test received is named.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { operations } from '../../generated/operations.ts';
import { handlers } from '../../mocks/sandbox/handlers.ts';
import { readHouseWords } from '../../scripts/lib/house.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { ledgerGaps } from '../support/reporter.ts';

const { domains } = readHouseWords();
const places = operations.map(({ domain, id }) => `${domain}/${id}`).sort();

/** Files with an ending, in the domains' folders below a folder: `domain/name`, without the ending. */
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

describe('the ledger of statuses', () => {
  const declared = [{ id: 'getQuote', statuses: [200, 404] }] as const;

  test('case 127: a declared status that no test received is a gap', () => {
    const gap = { operationId: 'getQuote', status: 404 };
    expect(ledgerGaps(declared, [{ operationId: 'getQuote', status: 200 }])).toEqual([gap]);
  });

  test('another operation with that status does not fill it', () => {
    const answered = [200, 404].map((status) => ({ operationId: 'createQuote', status }));
    expect(ledgerGaps(declared, answered)).toHaveLength(2);
  });

  test('all received, no gap', () => {
    const answered = [404, 200, 200, 500].map((status) => ({ operationId: 'getQuote', status }));
    expect(ledgerGaps(declared, answered)).toEqual([]);
  });
});
