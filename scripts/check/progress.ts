/** Shows what `npm run check` is doing, so that a slow step doesn't look like one that hangs. */

/** Without a terminal: after this time without output, a line says what runs. */
const silenceMs = 15_000;
/** How often the line on a terminal is updated. */
const terminalMs = 1000;

export interface Progress {
  /** Notes that a step began. @param waitsFor the step whose result it needs first, if that isn't there yet */
  begin(name: string, waitsFor?: string): void;
  /** Prints a step's result and forgets the step. */
  end(name: string, result: string): void;
  /** Clears the line on the terminal. */
  stop(): void;
}

/** A step that runs: its start, and whether it waits for another step. */
interface Running {
  readonly since: number;
  readonly waitsFor: string | undefined;
}

/**
 * On a terminal, one line says what runs and is updated every second. Elsewhere, such as in a CI log, it prints a line
 * only after a quarter of a minute without output.
 *
 * @param write where to print
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
