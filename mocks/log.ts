import { styleText } from 'node:util';
import { createLineWriter } from './lines.ts';
import type { Log, RequestLine } from './sandbox/telemetry/log.ts';

/** How requests are logged: for people, for a collector (one object per line), or not at all. */
export const logFormats = ['pretty', 'json', 'off'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface TerminalLog extends Log {
  /** Printed once, when the server is ready: the text for people, the address for a collector. */
  ready(text: string, address: string): void;
  /** Writes a line unchanged, in every format. */
  line(text: string): void;
  /** Writes the lines that are held back. It soon gives up if nobody reads them. */
  drain(): Promise<void>;
}

/** Monitors ask this every few seconds. A success isn't logged. */
const healthRoute = 'GET /__sandbox/health';

/**
 * Logs to the terminal: lines to stdout, our own faults with their facts to stderr, in every format. If the process is
 * killed, its last lines are lost.
 */
export function createTerminalLog(format: LogFormat): TerminalLog {
  const { print, drain } = createLineWriter();
  const asJson = (at: number, level: string, facts: object): string =>
    JSON.stringify({ time: new Date(at).toISOString(), level, ...facts });
  const say = (message: string, facts: object = { message }): void => {
    const at = Date.now();
    print(() => (format === 'json' ? asJson(at, 'info', facts) : message));
  };
  const request = (line: RequestLine): void => {
    if (line.operation === healthRoute && line.status === 200) return;
    const at = Date.now();
    print(() => (format === 'json' ? asJson(at, line.status >= 500 ? 'error' : 'info', line) : asColumns(at, line)));
  };
  return {
    info: (message) => say(message),
    error: (message, facts) =>
      console.error(
        format === 'json' ? asJson(Date.now(), 'error', { message, ...facts }) : `${message} ${JSON.stringify(facts)}`,
      ),
    ready: (text, address) => say(text, { message: `Ready at ${address}`, address }),
    line: (text) => print(() => text),
    drain,
    ...(format === 'off' ? {} : { request }),
  };
}

let lastTime = { at: Number.NaN, text: '' };

/** Formats each instant once, because many requests can have the same. */
function timeOfDay(at: number): string {
  if (at !== lastTime.at) lastTime = { at, text: new Date(at).toISOString().slice(11, 23) };
  return lastTime.text;
}

function asColumns(at: number, { id, method, operation, platform, status, ms, code, refused }: RequestLine): string {
  const time = timeOfDay(at);
  const took = `${ms.toFixed(1)} ms`.padStart(10);
  // A request without an operation id is named by method and path.
  const name = operation?.replace(`${method} `, '') ?? '-';
  const start = `${time}  ${method.padEnd(6)} ${name.padEnd(28)}`;
  return `${start} ${paint(status)} ${took}  ${platform ?? '-'}  ${id}${code === null ? '' : `  ${code}`}${refused === undefined ? '' : ` (${refused})`}`;
}

/** Node leaves the colours out if stdout isn't a terminal or NO_COLOR is set. */
function paint(status: number): string {
  return status < 400 ? String(status) : styleText(status < 500 ? 'yellow' : 'red', String(status));
}
