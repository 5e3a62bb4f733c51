import { type Listener, Told } from './happening.ts';

interface QueueParts {
  /** Called with each change of the memory that waiting events hold. */
  readonly onBytes: (change: number) => void;
  readonly onEnd: () => void;
}

/** The events that wait for one listener. */
export class ListenerQueue implements Listener {
  readonly #bounds: { readonly waiting: number; readonly bytes: number };
  readonly #parts: QueueParts;
  #waiting: Told[] = [];
  #bytes = 0;
  #missed = 0;
  #isOpen = true;
  #wake: ((told: Told | undefined) => void) | undefined;

  constructor(bounds: { readonly waiting: number; readonly bytes: number }, parts: QueueParts) {
    this.#bounds = bounds;
    this.#parts = parts;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hear(told: Told): void {
    if (this.#wake !== undefined) {
      const wake = this.#wake;
      this.#wake = undefined;
      wake(told);
      return;
    }
    const { waiting, bytes } = this.#bounds;
    if (this.#missed > 0 || this.#waiting.length >= waiting || this.#bytes + told.bytes > bytes) {
      this.#missed += 1;
      this.miss();
      return;
    }
    this.#waiting.push(told);
    this.#hold(told.bytes);
  }

  /** A listener that is this far behind reads everything again, so the waiting events are useless. */
  miss(): void {
    this.#missed += this.#waiting.length;
    this.#waiting = [];
    this.#hold(-this.#bytes);
  }

  next(): Promise<Told | undefined> {
    const told = this.#take();
    if (told !== undefined || !this.#isOpen) return Promise.resolve(told);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.miss();
    this.#missed = 0;
    this.#parts.onEnd();
    this.#wake?.(undefined);
  }

  #take(): Told | undefined {
    if (this.#missed > 0) {
      const count = this.#missed;
      this.#missed = 0;
      return new Told({ type: 'MISSED', count });
    }
    const told = this.#waiting.shift();
    if (told !== undefined) this.#hold(-told.bytes);
    return told;
  }

  #hold(change: number): void {
    this.#bytes += change;
    this.#parts.onBytes(change);
  }
}
