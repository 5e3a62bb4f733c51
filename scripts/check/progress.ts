/** Shows what `npm run check` is at, so that nobody takes a slow step for one that hangs. */

/** How long nothing is printed before a line says what runs, where lines can't be written over. */
const silenceMs = 15_000;
/** How often the line of a terminal is written over. */
const terminalMs = 1000;

export interface Progress {
  /** A step began. @param waitsFor the step whose result it needs first, if that isn't there yet */
  begin(name: string, waitsFor?: string): void;
  /** Prints a step's result, and forgets the step. */
  end(name: string, result: string): void;
  /** Takes the line of a terminal away. */
  stop(): void;
}

/** What is under way: since when, and whether it waits for another step. */
interface Running {
  readonly since: number;
  readonly waitsFor: string | undefined;
}

/**
 * On a terminal one line says what runs, written over each second. Elsewhere, such as in a pipeline's log, there is a line
 * only when nothing else was printed for a quarter of a minute.
 *
 * @param write where to
 * @param count how many steps there are
 */
export function createProgress(write: (text: string) => void, isTerminal: boolean, count: number): Progress {
  const running = new Map<string, Running>();
  let left = count;
  let printedAt = performance.now();
  const describe = (): string => {
    const now = performance.now();
    const steps = [...running].map(([name, { since, waitsFor }]) =>
      waitsFor === undefined ? `${name} (${Math.round((now - since) / 1000)} s)` : `${name} (waits for ${waitsFor})`,
    );
    const others = left - running.size;
    return `running: ${steps.join(', ')}${others > 0 ? `; ${others} to come` : ''}`;
  };
  const show = (): void => {
    if (running.size === 0) return;
    if (isTerminal) write(`\r\u001b[K${describe()}`);
    else if (performance.now() - printedAt >= silenceMs) {
      printedAt = performance.now();
      write(`${describe()}\n`);
    }
  };
  const clear = (): void => {
    if (isTerminal) write('\r\u001b[K');
  };
  const timer = setInterval(show, terminalMs);
  return {
    begin(name, waitsFor) {
      running.set(name, { since: performance.now(), waitsFor });
      if (isTerminal) show();
    },
    end(name, result) {
      running.delete(name);
      left -= 1;
      clear();
      write(`${result}\n`);
      printedAt = performance.now();
      if (isTerminal) show();
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
