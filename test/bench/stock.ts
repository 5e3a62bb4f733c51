/** Makes sandboxes on a data file with a given number of external accounts. A million requests would take an hour. */
import { join } from 'node:path';
import { createServiceClient } from '../../generated/client.ts';
import { version } from '../../generated/operations.ts';
import { externalAccounts } from '../../mocks/sandbox/domains/accounts/records.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { createProofs } from '../../mocks/sandbox/proofs/factory.ts';
import type { Unit } from '../../mocks/sandbox/store/units/unit.ts';
import { createUnits } from '../../mocks/sandbox/store/units/units.ts';
import { systemChance } from '../../mocks/sandbox/tools/chance.ts';
import { systemClock } from '../../mocks/sandbox/tools/clock.ts';
import { createCursors } from '../../mocks/sandbox/tools/cursor.ts';
import { createDerive } from '../../mocks/sandbox/tools/derive.ts';
import { defaultPlatform } from '../../mocks/sandbox/worlds/readyMade.ts';
import { benchAccount } from './accounts.ts';
import { credentials } from './requests.ts';
import { type RunningServer, sandboxCommand, startServer } from './servers.ts';

const unitSize = 5_000;
/** Every account with this distance belongs to the customer with few, until that one has twenty. */
const sparse = 50;

interface Owners {
  /** Owns every second account. */
  readonly large: string;
  /** Owns twenty accounts. */
  readonly small: string;
}

export interface Stocked extends Owners {
  readonly count: number;
  readonly server: RunningServer;
}

/**
 * A sandbox process on a new data file with this many external accounts.
 * @param flags of the sandbox, besides those for the data file.
 */
export async function stock(folder: string, count: number, flags: readonly string[] = []): Promise<Stocked> {
  const file = join(folder, `${count}.sqlite`);
  const args = [...sandboxCommand, '--port', '0', '--data', file, ...flags];
  const first = await startServer(args);
  const owners = { large: await makeCustomer(first.origin), small: await makeCustomer(first.origin) };
  await first.stop();
  await fill(file, owners, count);
  return { count, ...owners, server: await startServer(args) };
}

async function makeCustomer(origin: string): Promise<string> {
  const client = createServiceClient({ baseUrl: `${origin}/${version}`, credentials });
  const { data, error } = await client.POST('/customers', { body: { customerType: 'INDIVIDUAL' } });
  if (data === undefined) throw new Error(`The sandbox made no customer: ${JSON.stringify(error)}`);
  return data.id;
}

/** Adds accounts with the sandbox's own table, in large units of work. */
async function fill(file: string, owners: Owners, count: number): Promise<void> {
  const store = await openSqlite(file);
  const derive = createDerive('bench');
  const proofs = createProofs(derive);
  const units = createUnits({
    store,
    clock: systemClock,
    chance: systemChance,
    cursors: createCursors('bench'),
    derive,
    proofs,
  });
  const startedAt = performance.now();
  // One account is in the ready-made world.
  for (let done = 1; done < count; ) {
    const until = Math.min(count, done - (done % unitSize) + unitSize);
    await units.run(defaultPlatform.id, async (unit) => {
      for (; done < until; done += 1) await addAccount(unit, owners, done);
    });
    if (done % (unitSize * 40) === 0 || done === count) {
      console.log(`${done} of ${count} accounts after ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
  }
  await store.close();
}

async function addAccount(unit: Unit, owners: Owners, number: number): Promise<void> {
  const customerId = ownerOf(owners, number);
  const { currency, accountInfo } = benchAccount(number);
  await externalAccounts.insert(unit, {
    id: unit.newId('ExternalAccount'),
    ...(customerId === undefined ? {} : { customerId }),
    currency,
    defaultUmaDepositAccount: false,
    accountInfo,
    beneficiaryVerificationStatus: 'MATCHED',
    verifiedName: accountInfo.beneficiary.fullName,
  });
}

function ownerOf({ large, small }: Owners, number: number): string | undefined {
  if (number % 2 === 0) return large;
  return number % sparse === 1 && number < sparse * 20 ? small : undefined;
}
