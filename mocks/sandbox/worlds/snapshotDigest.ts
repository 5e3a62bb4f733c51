import canonicalize from 'canonicalize';
import { sha256InParts } from '../node/machine/crypto.ts';

/** The fields of a snapshot that its digest covers besides the records. */
interface Head {
  readonly format: string;
  readonly platformId: string;
  readonly schema: string;
  readonly sequence: number;
  readonly state: object;
}

/**
 * The digest of a snapshot, record by record: the hash of its canonical text (RFC 8785), in which the records come
 * between the other fields, and the tables in the order of their names.
 */
export class SnapshotDigest {
  readonly #hash = sha256InParts();
  readonly #rest: object;
  #tables = 0;
  #records = 0;

  constructor({ format, platformId, schema, sequence, state }: Head) {
    this.#rest = { schema, sequence, state };
    this.#hash.add(`${canonical({ format, platformId }).slice(0, -1)},"records":{`);
  }

  beginTable(name: string): void {
    this.#hash.add(`${this.#tables === 0 ? '' : '],'}${JSON.stringify(name)}:[`);
    this.#tables += 1;
    this.#records = 0;
  }

  /** @returns the canonical text of the record */
  add(record: object): string {
    const text = canonical(record);
    this.#hash.add(this.#records === 0 ? text : `,${text}`);
    this.#records += 1;
    return text;
  }

  end(): string {
    this.#hash.add(`${this.#tables === 0 ? '' : ']'}},${canonical(this.#rest).slice(1)}`);
    return this.#hash.base64Url();
  }
}

function canonical(value: object): string {
  return canonicalize(value) ?? '';
}
