import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import type { Fault } from '../../../contract/faults.ts';
import { describeInexact } from '../../../contract/json.ts';
import { isKept } from '../../../contract/numbers.ts';
import { pointerSegment } from '../../../contract/pointer.ts';
import { invalid } from '../tools/problem.ts';
import type { AnyRecord } from '../worlds/visit.ts';

/** The limits of a snapshot's parts. The number of records has none, because they aren't kept. */
const bounds = { depth: 64, partBytes: 4 * 1024 * 1024 } as const;

/** A value in the list of a table. It can be anything until it is checked. */
export interface FoundRecord {
  readonly table: string;
  readonly index: number;
  readonly record: AnyRecord;
}

/** The fields of a snapshot without its records. */
export type SnapshotHead = Readonly<Record<string, unknown>>;

const isOpening = (kind: TokenType) => kind === TokenType.LEFT_BRACE || kind === TokenType.LEFT_BRACKET;
const isClosing = (kind: TokenType) => kind === TokenType.RIGHT_BRACE || kind === TokenType.RIGHT_BRACKET;

/** In place of a number that can't be kept. */
class Unkept {
  readonly message: string;
  constructor(text: string) {
    this.message = describeInexact(Number(text));
  }
}

class ExactTokenizer extends Tokenizer {
  protected override parseNumber(text: string): number {
    return isKept(text) ? super.parseNumber(text) : (new Unkept(text) as never);
  }
}

/** The first number or text in a parsed value that can't be kept as it was written (D08, D51). */
export function findUnkept(value: unknown, pointer = ''): Fault | undefined {
  if (value instanceof Unkept) return { in: 'body', pointer, message: value.message };
  if (typeof value === 'string') return isText(value) ? undefined : { in: 'body', pointer, message: notText };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, child] of Object.entries(value)) {
    // A name that isn't text can't be part of a pointer.
    if (!isText(name)) return { in: 'body', pointer, message: notText };
    const found = findUnkept(child, `${pointer}/${pointerSegment(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const notText = 'holds a NUL character or an unpaired surrogate, which is not text';

function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\u0000');
}

/** Reads the text of a snapshot in pieces, and keeps no record. */
export class SnapshotParser {
  readonly #tokenizer = new ExactTokenizer({ stringBufferSize: 65_536 });
  readonly #parser: TokenParser;
  /** The fields beside the records. A field that no snapshot has is null. */
  readonly #fields = new Map<string, unknown>();
  /** What the text has for each table: an empty list instead of its records, null if it isn't a list. */
  readonly #tables = new Map<string, [] | null>();
  #found: FoundRecord[] = [];
  #depth = 0;
  #place = '';
  #expects: 'key' | 'colon' | 'value' | 'anything' = 'value';
  #isInRecords = false;
  #bytes = 0;
  #lastEnd = 0;

  constructor() {
    const paths = ['format', 'schema', 'platformId', 'sequence', 'state', 'digest', 'records.*.*'];
    this.#parser = new TokenParser({ paths: paths.map((path) => `$.${path}`), keepStack: false });
    this.#tokenizer.onToken = (parsed) => {
      this.#note(parsed.token, parsed.value);
      this.#parser.write(parsed);
    };
    this.#parser.onEnd = () => {
      if (!this.#tokenizer.isEnded) this.#tokenizer.end();
    };
    this.#parser.onValue = ({ value, key, stack }) => {
      this.#lastEnd = this.#bytes;
      if (stack.length === 1) this.#fields.set(String(key), value);
      else this.#found.push({ table: String(stack[2]?.key), index: Number(key), record: value as never });
    };
  }

  /**
   * Takes the next bytes of the text.
   * @returns the records that they complete
   * @throws Problem 400 if the text isn't JSON, or beyond a limit
   */
  write(bytes: Uint8Array): readonly FoundRecord[] {
    this.#found = [];
    this.#bytes += bytes.length;
    this.#parse(() => this.#tokenizer.write(bytes));
    if (this.#bytes - this.#lastEnd > bounds.partBytes + bytes.length) {
      throw refused(`holds a part of more than ${bounds.partBytes} bytes`);
    }
    return this.#found;
  }

  /** Call this at the end of the text. @throws Problem 400 if it isn't complete */
  end(): SnapshotHead {
    if (this.#bytes > 0 && !this.#parser.isEnded) throw refused('is not JSON');
    const fields = Object.fromEntries(this.#fields);
    if (!this.#fields.has('records') || fields['records'] === null) return fields;
    return { ...fields, records: Object.fromEntries(this.#tables) };
  }

  #parse(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw error instanceof Error && error.name === 'Problem' ? error : refused('is not JSON');
    }
  }

  #note(kind: TokenType, value: unknown): void {
    if (this.#depth === 0 && kind !== TokenType.LEFT_BRACE && this.#bytes > 0) throw refused('must be an object');
    if (isClosing(kind)) this.#depth -= 1;
    if (this.#depth === 1) this.#isInRecords &&= !isClosing(kind);
    this.#noteKey(kind, value);
    if (!isOpening(kind)) return;
    this.#depth += 1;
    if (this.#depth > bounds.depth) throw refused(`is nested more than ${bounds.depth} levels deep`);
    const isRecords = this.#depth === 2 && this.#place === 'records' && kind === TokenType.LEFT_BRACE;
    this.#isInRecords ||= isRecords;
    if (this.#depth === 1 || isRecords) this.#expects = 'key';
  }

  /** Notes which fields and tables the text has. */
  #noteKey(kind: TokenType, value: unknown): void {
    const isNoted = this.#depth === 1 || (this.#depth === 2 && this.#isInRecords);
    if (!isNoted) return;
    if (kind === TokenType.COMMA) this.#expects = 'key';
    else if (this.#expects === 'key' && kind === TokenType.STRING) {
      this.#place = String(value);
      this.#expects = 'colon';
    } else if (this.#expects === 'colon') this.#expects = 'value';
    else if (this.#expects === 'value') {
      this.#expects = 'anything';
      if (this.#depth === 2) this.#tables.set(this.#place, kind === TokenType.LEFT_BRACKET ? [] : null);
      else if (this.#place !== 'records') this.#fields.set(this.#place, null);
      else this.#fields.set(this.#place, kind === TokenType.LEFT_BRACE ? {} : null);
    }
  }
}

function refused(message: string) {
  return invalid([{ in: 'body', pointer: '', message }]);
}
