import { toHex } from '../../node/machine/bytes.ts';
import type { Chance } from '../../tools/chance.ts';
import { firstRow, query } from '../query.ts';
import type { Store } from '../store.ts';

const find = query<{ name: string }>((db, p) => db.selectFrom('secrets').select('value').where('name', '=', p.name));
const keep = query<{ name: string; value: string }>((db, p) =>
  db
    .insertInto('secrets')
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.doNothing()),
);

/** A key of the whole store, in hex. It is created at first use, then the same in every process and after a restart. */
export function keptSecret(store: Store, name: string, chance: Chance): Promise<string> {
  return store.transaction('', async (tx) => {
    await keep(tx, { name, value: toHex(chance.bytes(32)) });
    return String(firstRow(await find(tx, { name }))?.['value']);
  });
}
