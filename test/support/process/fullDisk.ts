/**
 * Fills a small disk with a plain load, until nothing more is kept. Usage: node fullDisk.ts MEBIBYTES; it needs the right to mount,
 * so start it with `unshare --mount` (and `--map-root-user` without root). It prints JSON.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../../mocks/sandbox/app.ts';
import { openSqlite } from '../../../mocks/sandbox/node/sqlite/sqlite.ts';
import { systemChance } from '../../../mocks/sandbox/tools/chance.ts';
import { systemClock } from '../../../mocks/sandbox/tools/clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-disk-'));
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${process.argv[2]}m`, 'none', folder]);
const file = join(folder, 'data.sqlite');
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const log = { info: () => {}, error: () => {} };
const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' };

async function openApp() {
  const store = await openSqlite(file);
  const app = await createSandbox({ store, clock: systemClock, chance: systemChance, log });
  const send = async (method: string, path: string, body?: object) => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return app.fetch(new Request(`http://localhost/2025-10-13${path}`, init));
  };
  return { send, close: () => store.close() };
}

/** Customers by 64 clients, until all of them are refused `patience` times. @returns how many were kept, and the longest log */
async function load(send: Awaited<ReturnType<typeof openApp>>['send'], patience: number) {
  let [kept, longestLog] = [0, 0];
  for (let refused = 0; refused < patience; ) {
    const made = Array.from({ length: 64 }, () => send('POST', '/customers', { customerType: 'INDIVIDUAL' }));
    const statuses = (await Promise.all(made)).map(({ status }) => status);
    if (statuses.some((status) => status !== 201 && status !== 503)) throw new Error(`Got ${statuses}`);
    const good = statuses.filter((status) => status === 201).length;
    kept += good;
    refused = good > 0 ? 0 : refused + 1;
    longestLog = Math.max(longestLog, sizeOf(`${file}-wal`));
  }
  return { kept, longestLog };
}

const count = async (send: Awaited<ReturnType<typeof openApp>>['send']) =>
  (await (await send('GET', '/customers?limit=1')).json()).totalCount as number;
const fill = () => {
  // What is left, except half a megabyte, goes to another program.
  const name = join(folder, 'other');
  writeFileSync(name, Buffer.alloc(Math.max(0, (statfsSync(folder).bavail - 128) * 4096)));
  return () => rmSync(name);
};

const app = await openApp();
const initial = await count(app.send);
const { kept, longestLog } = await load(app.send, 5);
const whenFull = { kept, data: sizeOf(file), log: sizeOf(`${file}-wal`), longestLog };
const reads = (await app.send('GET', '/customers')).status;
await app.close();
const afterStop = { data: sizeOf(file), log: sizeOf(`${file}-wal`) };
const free = fill();
const again = await openApp();
const counted = (await count(again.send)) - initial;
const first = (await again.send('POST', '/customers', { customerType: 'INDIVIDUAL' })).status;
free();
const { kept: afterwards } = await load(again.send, 5);
await again.close();
console.log(
  JSON.stringify({
    whenFull,
    reads,
    afterStop,
    counted,
    first,
    afterwards,
  }),
);
execFileSync('umount', [folder]);
rmSync(folder, { recursive: true });
