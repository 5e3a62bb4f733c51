import { type Kysely, sql } from 'kysely';
import { accountIdentity } from '../../payments/accountIdentity.ts';
import { filter } from './tables.ts';

interface Rows {
  external_accounts: { platform_id: string; id: string; identity: string; owner: string; body: string };
}

/**
 * External accounts know their owner, a customer or the platform, and the fields that distinguish them since D40
 * changed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('external_accounts')
    .addColumn('owner', 'text', (add) => add.notNull().defaultTo('CUSTOMER'))
    .execute();
  await filter(db, 'external_accounts', 'owner');
  await filter(db, 'external_accounts', 'owner', 'currency');

  const rows = db as Kysely<Rows>;
  for (const { platform_id, id, body } of await rows
    .selectFrom('external_accounts')
    .select(['platform_id', 'id', 'body'])
    .execute()) {
    const { customerId, currency, accountInfo } = JSON.parse(body);
    const owner = customerId === undefined ? 'PLATFORM' : 'CUSTOMER';
    const identity = accountIdentity(customerId, currency, accountInfo);
    await rows
      .updateTable('external_accounts')
      .set({ owner, identity })
      .where('platform_id', '=', platform_id)
      .where('id', '=', id)
      .execute();
  }

  // Removes the counts that no list uses any more, and adds those that the lists use now.
  await sql`delete from counters where name = 'external_accounts' or name like 'external_accounts currency %'`.execute(
    db,
  );
  await sql`insert into counters (platform_id, name, count)
    select platform_id, 'external_accounts owner ' || owner, count(*) from external_accounts
    group by platform_id, owner`.execute(db);
  await sql`insert into counters (platform_id, name, count)
    select platform_id, 'external_accounts owner ' || owner || ' currency ' || currency, count(*) from external_accounts
    group by platform_id, owner, currency`.execute(db);
}
