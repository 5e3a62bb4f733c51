/** Waits for a moment during a first start. It observes the start from outside, so that it needs no clock. */
import { statSync } from 'node:fs';
import pg from 'pg';
import type { Random } from '../support/requests/random.ts';
import { turns } from './settings.ts';

/** The approximate size in bytes of a data file and its log with the ready-made world. */
const wholeWorld = 700_000;

/** Resolves between the first sign of a start and its end. */
export async function someMoment([flag, place = '']: readonly string[], random: Random, isOver: () => boolean) {
  if (flag === '--data') await growth(place, random.below(wholeWorld), isOver);
  else await traffic(place, random.below(150), isOver);
}

/** Waits until the file has grown to this size. */
async function growth(file: string, bytes: number, isOver: () => boolean): Promise<void> {
  const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  while (!isOver() && size(file) + size(`${file}-wal`) <= bytes) await turns(1);
}

/** Waits until a client has connected, and then for the duration of this many queries of our own. */
async function traffic(url: string, questions: number, isOver: () => boolean): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const others = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  while (!isOver() && (await client.query(others)).rowCount === 0) await turns(1);
  for (let left = questions; left > 0 && !isOver(); left -= 1) await client.query(others);
  await client.end();
}
