/** The console's copy of the journal: it is read once, then events keep it up to date. */
import type { JournalEntry } from '../../generated/controlTypes.ts';

/** The requests of one minute of the platform's time. */
export interface Minute {
  /** Seconds since 1970. */
  readonly at: number;
  readonly requests: number;
  readonly refused: number;
}

const entryLimit = 1000;
const minuteLimit = 60;
/** The page is drawn at most this often, however many events arrive. */
const drawEveryMs = 100;

export class JournalStore {
  #entries: readonly JournalEntry[] = [];
  #minutes: readonly Minute[] = [];
  #incoming: JournalEntry[] = [];
  #newest = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The events that arrived while the journal is being read. */
  #meanwhile: JournalEntry[] | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Newest first. */
  readonly entries = (): readonly JournalEntry[] => this.#entries;
  /** Oldest first. */
  readonly minutes = (): readonly Minute[] => this.#minutes;

  /** Call this before you read the journal. Events that arrive until {@link replace} may be missing in the result. */
  begin(): void {
    this.#meanwhile = [];
  }

  /** Takes over the process's journal. If the process was restarted, its ids start again. */
  replace(entries: readonly JournalEntry[]): void {
    const read = Number(entries[0]?.id ?? 0);
    const later = (this.#meanwhile ?? []).filter(({ id }) => Number(id) > read).reverse();
    const all = [...later, ...entries].slice(0, entryLimit);
    const newest = Number(all[0]?.id ?? 0);
    const isNewProcess = newest < this.#newest;
    if (isNewProcess) this.#minutes = [];
    const known = new Set(isNewProcess ? [] : this.#entries.map(({ id }) => id));
    this.#meanwhile = undefined;
    this.#incoming = [];
    this.#count(all.filter(({ id }) => !known.has(id)));
    this.#newest = newest;
    this.#entries = all;
    this.#tell();
  }

  empty(): void {
    this.#entries = [];
    this.#incoming = [];
    this.#meanwhile = this.#meanwhile && [];
    this.#tell();
  }

  add(entry: JournalEntry): void {
    this.#meanwhile?.push(entry);
    if (Number(entry.id) <= this.#newest) return;
    this.#incoming.push(entry);
    this.#timer ??= setTimeout(() => this.#flush(), drawEveryMs);
  }

  #flush(): void {
    this.#timer = undefined;
    const incoming = this.#incoming;
    this.#incoming = [];
    if (incoming.length === 0) return;
    this.#count(incoming);
    this.#newest = Math.max(this.#newest, ...incoming.map(({ id }) => Number(id)));
    this.#entries = [...incoming.reverse(), ...this.#entries].slice(0, entryLimit);
    this.#tell();
  }

  #count(entries: readonly JournalEntry[]): void {
    const minutes = new Map(this.#minutes.map((minute) => [minute.at, minute]));
    for (const entry of entries) {
      const at = Math.floor(Date.parse(entry.startedAt) / 60_000) * 60;
      const { requests, refused } = minutes.get(at) ?? { requests: 0, refused: 0 };
      minutes.set(at, { at, requests: requests + 1, refused: refused + (entry.response.status >= 400 ? 1 : 0) });
    }
    this.#minutes = [...minutes.values()].sort((a, b) => a.at - b.at).slice(-minuteLimit);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
