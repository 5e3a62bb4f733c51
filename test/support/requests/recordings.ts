/** Makes recordings for the tests of `countersign check`: the sandbox's traffic in the format of a browser. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from 'har-format';
import { runInProcess } from '../process/inProcess.ts';
import { temporaryFolder } from '../sandbox/folder.ts';
import { baseUrl, basic, startOfTime, type TestSandbox } from '../sandbox/harness.ts';

const root = new URL('../../../', import.meta.url).pathname;

/** The facts of one entry. A body that isn't text is written as JSON. */
export interface Traffic {
  readonly method?: string;
  /** The path below the base address, or a whole address. */
  readonly url: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  readonly status: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
}

/** An entry of HAR 1.2. A body sets its Content-Type, unless the headers have another. */
export function toEntry(traffic: Traffic): Entry {
  const sent = asText(traffic.requestBody);
  const got = asText(traffic.responseBody);
  const typed = (text: string | undefined, headers: Traffic['requestHeaders']) =>
    Object.entries({ ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers }).map(
      ([name, value]) => ({ name, value }),
    );
  const postData = sent === undefined ? {} : { postData: { mimeType: 'application/json', text: sent } };
  return {
    startedDateTime: new Date(startOfTime).toISOString(),
    time: 1,
    request: {
      method: traffic.method ?? (sent === undefined ? 'GET' : 'POST'),
      url: traffic.url.startsWith('/') ? baseUrl + traffic.url : traffic.url,
      httpVersion: 'HTTP/2',
      cookies: [],
      headers: [{ name: ':authority', value: 'localhost:4010' }, ...typed(sent, traffic.requestHeaders)],
      queryString: [],
      ...postData,
      headersSize: -1,
      bodySize: sent === undefined ? 0 : Buffer.byteLength(sent),
    },
    response: {
      status: traffic.status,
      statusText: '',
      httpVersion: 'HTTP/2',
      cookies: [],
      headers: typed(got, traffic.responseHeaders),
      content: {
        size: Buffer.byteLength(got ?? ''),
        mimeType: 'x-unknown',
        ...(got === undefined ? {} : { text: got }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: Buffer.byteLength(got ?? ''),
    },
    cache: {},
    timings: { send: 0, wait: 1, receive: 0 },
  };
}

function asText(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

export interface Recorder {
  readonly entries: Entry[];
  /** Sends a request of the default platform, records the exchange, and returns the parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an answer
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<any>;
}

/** Records the exchanges between a test and its sandbox. */
export function recordTraffic(sandbox: TestSandbox): Recorder {
  const entries: Entry[] = [];
  return {
    entries,
    async send(method, path, body, given) {
      const typed = body === undefined ? {} : { 'content-type': 'application/json' };
      const requestHeaders = { authorization: basic('sandbox', 'sandbox'), ...typed, ...given };
      const init = { method, headers: requestHeaders, ...(body === undefined ? {} : { body: asText(body) ?? '' }) };
      const response = await sandbox.fetch(new Request(baseUrl + path, init));
      const text = await response.text();
      const responseBody = text === '' ? {} : { responseBody: text };
      const { status } = response;
      const responseHeaders = Object.fromEntries(response.headers);
      entries.push(
        toEntry({ method, url: path, requestHeaders, requestBody: body, status, responseHeaders, ...responseBody }),
      );
      return text === '' ? undefined : JSON.parse(text);
    },
  };
}

/** A whole recording as text. */
export function toHar(entries: readonly unknown[], version: unknown = '1.2'): string {
  return JSON.stringify({ log: { version, creator: { name: 'test', version: '1' }, entries } });
}

/** Writes a temporary file and returns its path. */
export function writeRecording(content: string | Uint8Array, name = 'recording.har'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

export interface CheckRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `countersign check …` in this process, which takes a tenth of the time of a separate one. Every finding fails
 * it, unless another `--fail-on` follows.
 * @param args what follows `check`
 */
export async function check(...args: string[]): Promise<CheckRun> {
  return checkPlainly('--fail-on', 'assumed', ...args);
}

/** The same without default flags, as a user runs it. */
export async function checkPlainly(...args: string[]): Promise<CheckRun> {
  const { code = 0, stdout, stderr } = await runInProcess(['check', ...args]);
  return { code, stdout, stderr };
}

/** Runs `countersign …` as a process. */
export function runCountersign(args: readonly string[], nodeFlags: readonly string[] = []): Promise<CheckRun> {
  return new Promise((resolve) => {
    const command = [...nodeFlags, join(root, 'cli/countersign.mjs'), ...args];
    execFile(process.execPath, command, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
