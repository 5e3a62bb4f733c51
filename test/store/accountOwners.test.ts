/**
 * Promise: a data file from before external accounts had owners and a wider identity is upgraded when it is opened. Its
 * lists are complete, and an existing account is refused as before (D36, D40).
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import {
  addExternalAccount,
  listOfCustomers,
  listOfPlatform,
  mustAdd,
  newCustomer,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

/** Reverts a file to its state before the migration step. */
function takeBack(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`
    drop index external_accounts_by_owner;
    drop index external_accounts_by_owner_currency;
    alter table external_accounts drop column owner;
    update external_accounts set identity = 'old ' || id;
    delete from counters where name like 'external_accounts owner %';
    insert into counters (platform_id, name, count)
      select platform_id, 'external_accounts', count(*) from external_accounts group by platform_id;
    delete from counters where name = 'bytes';
    alter table platforms drop column "rows";
    drop table unfinished;
    alter table platforms drop column latest;
    delete from kysely_migration where name >= '0006-account-owners';
  `);
  db.close();
}

/** What the records of a file weigh, as it is counted. */
function weightsIn(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const counted = db.prepare("select platform_id, count from counters where name = 'bytes' order by 1").all();
  db.close();
  return counted;
}

test('an older file', async () => {
  const file = join(temporaryFolder(), 'old.sqlite');
  const first = await openSqlite(file);
  const before = await openSandbox({ store: first });
  const customerId = await newCustomer(before);
  for (const body of [usdRequest('1', { customerId }), usdRequest('1'), usdcRequest('2')]) await mustAdd(before, body);
  const lists = [
    await listOfCustomers(before),
    await listOfPlatform(before),
    await listOfPlatform(before, 'currency=USD'),
  ];
  await first.close();
  const weights = weightsIn(file);
  takeBack(file);
  expect(weightsIn(file)).toEqual([]);

  const second = await openSqlite(file);
  expect(weightsIn(file)).toEqual(weights);
  onTestFinished(() => second.close());
  const after = await openSandbox({ store: second });
  expect([
    await listOfCustomers(after),
    await listOfPlatform(after),
    await listOfPlatform(after, 'currency=USD'),
  ]).toEqual(lists);
  expectRefusal(await addExternalAccount(after, usdRequest('1')), 409, 'CONFLICT');
  await mustAdd(after, usdRequest('1', {}, { routingNumber: '121000248' }));
  expect(await listOfPlatform(after)).toHaveLength(3);
});
