/** A sandbox whose log keeps the facts of each request. */
import type { SandboxParts } from '../../../mocks/sandbox/app.ts';
import type { RequestLine } from '../../../mocks/sandbox/telemetry/log.ts';
import { type LogLine, openSandbox, type TestSandbox } from './harness.ts';

export interface LoggingSandbox extends TestSandbox {
  readonly requests: RequestLine[];
  readonly faults: LogLine[];
}

export async function openLogging(parts: Partial<SandboxParts> = {}): Promise<LoggingSandbox> {
  const requests: RequestLine[] = [];
  const faults: LogLine[] = [];
  const log = {
    info: () => {},
    error: (line: string, facts: Readonly<Record<string, unknown>>) => void faults.push({ line, facts }),
    request: (facts: RequestLine) => void requests.push(facts),
  };
  return { ...(await openSandbox({ ...parts, log })), requests, faults };
}
