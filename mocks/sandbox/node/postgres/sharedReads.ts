import pg from 'pg';
import type { Cell, Result, Row, Statement } from '../../store/store.ts';
import { bind } from './connection.ts';

/** The maximum number of reads in one statement. */
const mostTogether = 100;
/** No query has a column of this name. */
const place = '#';

/** A read that was requested, maybe several times, and isn't answered yet. */
interface Asked {
  readonly parameters: readonly Cell[];
  readonly result: PromiseWithResolvers<Result>;
}

/**
 * Runs reads outside of units, such as the read of a request's token. While a read of some text runs, all reads of the same text
 * that are requested meanwhile wait, and then go to the server as one statement. So each result is newer than its request, and
 * many requests at once cost little more than one.
 */
export class SharedReads {
  readonly #send: (statement: Statement) => Promise<Result>;
  /** The reads that wait, by text and parameters. A text has an entry while reads of it run. */
  readonly #waiting = new Map<string, Map<string, Asked>>();

  constructor(send: (statement: Statement) => Promise<Result>) {
    this.#send = send;
  }

  read({ sql, parameters }: Statement): Promise<Result> {
    const asked: Asked = { parameters, result: Promise.withResolvers<Result>() };
    const key = JSON.stringify(parameters);
    const waiting = this.#waiting.get(sql);
    if (waiting === undefined) {
      void this.#run(sql, [asked]);
      return asked.result.promise;
    }
    const same = waiting.get(key);
    if (same === undefined) waiting.set(key, asked);
    return (same ?? asked).result.promise;
  }

  async #run(sql: string, first: readonly Asked[]): Promise<void> {
    const waiting = new Map<string, Asked>();
    this.#waiting.set(sql, waiting);
    for (let batch = first; batch.length > 0; ) {
      await this.#answer(sql, batch);
      const next = [...waiting].slice(0, mostTogether);
      for (const [key] of next) waiting.delete(key);
      batch = next.map(([, asked]) => asked);
    }
    this.#waiting.delete(sql);
  }

  async #answer(sql: string, batch: readonly Asked[]): Promise<void> {
    if (batch.length === 1 || !canJoin(sql, batch)) {
      await Promise.all(batch.map((asked) => this.#answerAlone(sql, asked)));
      return;
    }
    try {
      const { rows } = await this.#send(inOne(sql, batch));
      const byPlace = Map.groupBy(rows, (row) => Number(row[place]));
      for (const [index, { result }] of batch.entries()) {
        result.resolve({ rows: (byPlace.get(index) ?? []).map(withoutPlace), affected: 0 });
      }
    } catch (error) {
      // The server refused the statement, maybe because of one of the reads. The others don't fail with it.
      if (error instanceof pg.DatabaseError) await Promise.all(batch.map((asked) => this.#answerAlone(sql, asked)));
      else for (const { result } of batch) result.reject(error);
    }
  }

  async #answerAlone(sql: string, { parameters, result }: Asked): Promise<void> {
    await this.#send({ sql, parameters }).then(result.resolve, result.reject);
  }
}

/** Parameters get the type of a text. In a joined read, the order of rows isn't kept. */
function canJoin(sql: string, batch: readonly Asked[]): boolean {
  const isText = (value: Cell): boolean => typeof value === 'string';
  return !sql.includes(' order by ') && batch.every(({ parameters }) => parameters.every(isText));
}

function inOne(sql: string, batch: readonly Asked[]): Statement {
  const count = batch[0]?.parameters.length ?? 0;
  const names = Array.from({ length: count }, (_, index) => `p${index + 1}`);
  const rows = batch.map(({ parameters }, index) => ({
    [place]: index,
    ...Object.fromEntries(names.map((name, at) => [name, wellFormed(parameters[at] as string)])),
  }));
  const columns = [`"${place}" integer`, ...names.map((name) => `${name} text`)].join(', ');
  const joined = sql.replace(/\$(\d+)/g, 'asked.p$1');
  return {
    sql: `select asked."${place}", found.* from json_to_recordset($1) as asked (${columns}), lateral (${joined}) as found`,
    parameters: [JSON.stringify(rows)],
  };
}

/** As the driver and the server would read it. The server's JSON refuses half of a surrogate pair. */
function wellFormed(text: string): string {
  return String(bind(text)).toWellFormed();
}

function withoutPlace({ [place]: _, ...row }: Row): Row {
  return row as Row;
}
