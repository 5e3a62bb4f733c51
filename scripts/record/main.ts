/**
 * `npm run record`: runs every workflow against a sandbox and every example through the mock, and writes the exchanges
 * to `test/conformance/recordings/`. Seed and clock are fixed, and nothing that depends on the machine is kept. The
 * same code writes the same bytes, so a difference in a commit is a difference in the servers' behaviour.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Entry, Header } from 'har-format';
import { defineCommand } from '../../cli/command/command.ts';
import { runScript } from '../../cli/command/run.ts';
import { loadContract } from '../../contract/file.ts';
import { requestHeaders } from '../../generated/operations.ts';
import { sandboxCreator, writeHar } from '../../traffic/record.ts';
import { readWorkflows } from '../lib/arazzo.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { recordAiAgent } from './aiAgent.ts';
import { recordMock } from './mock.ts';
import { recordWorkflow } from './workflows.ts';

/** A recording: its file name and its text. */
export type Recording = readonly [name: string, text: string];

/** The time on the clocks, the same as in a seeded run (D54). */
const now = Date.UTC(2025, 9, 13);

/** The mock's replies, one recording per domain. */
export async function recordMocks(): Promise<Recording[]> {
  const bundle = readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8');
  const recorded = await recordMock(JSON.parse(bundle) as ContractDocument, () => now);
  return [...recorded].map(([domain, entries]) => [`prism-${domain}.har`, writeHar(entries.map(stable))]);
}

/** The sandbox's replies, one recording per workflow file: all of them, or those in `only`. */
export async function recordWorkflows(only?: readonly string[]): Promise<Recording[]> {
  const contract = loadContract();
  const queue = only === undefined ? readWorkflows().map(({ name }) => name) : [...only];
  const recordings: Recording[] = [];
  const lane = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const entries = await recordWorkflow(name, contract, now);
      recordings.push([`sandbox-${name}.har`, writeHar(entries.map(stable), sandboxCreator)]);
    }
  };
  await Promise.all([lane(), lane()]);
  return recordings.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The requests that an AI agent's tool calls make. */
export async function recordAgents(): Promise<Recording[]> {
  const entries = await recordAiAgent(loadContract(), now);
  return [['sandbox-ai-agent.har', writeHar(entries.map(stable), sandboxCreator)]];
}

const keptHeaders = new Set(
  ['Authorization', 'Content-Type', 'Prefer', ...requestHeaders].map((name) => name.toLowerCase()),
);
/** Headers of the connection or of one request, headers that repeat the body, and headers for browsers. */
const droppedHeaders =
  /^(?:access-control-.*|connection|content-length|date|keep-alive|transfer-encoding|vary|x-request-id)$/i;

/** Removes what depends on the machine or on the client: ports, and headers that clients add. */
function stable(entry: Entry): Entry {
  const { request, response } = entry;
  const url = request.url.replace(/^https?:\/\/[^/]+/, 'http://localhost:4010');
  const ours = ({ name }: Header): boolean => keptHeaders.has(name.toLowerCase());
  const theirs = ({ name }: Header): boolean => !droppedHeaders.test(name);
  return {
    ...entry,
    request: { ...request, url, headers: request.headers.filter(ours) },
    response: { ...response, headers: response.headers.filter(theirs) },
  };
}

/**
 * Makes a folder hold these recordings and no others. Files of other kinds stay.
 *
 * @param check whether to write nothing, and only say what would change
 * @returns a line for each file that changes, with its path from the project's folder if it is inside
 */
export function keepRecordings(recordings: ReadonlyMap<string, string>, folder: string, check: boolean): string[] {
  mkdirSync(folder, { recursive: true });
  const before = readdirSync(folder).filter((name) => name.endsWith('.har'));
  const old = new Map(before.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const changed = [...recordings].filter(([name, text]) => old.get(name) !== text).map(([name]) => name);
  const gone = before.filter((name) => !recordings.has(name));
  if (!check) {
    for (const name of changed) writeFileSync(join(folder, name), recordings.get(name) ?? '');
    for (const name of gone) rmSync(join(folder, name));
  }
  const pathOf = (name: string): string => relative(projectRoot, resolve(folder, name));
  return [
    ...changed.map((name) => `${check ? 'would change' : 'wrote'} ${pathOf(name)}`),
    ...gone.map((name) => `${check ? 'would remove' : 'removed'} ${pathOf(name)}`),
  ];
}

export const command = defineCommand({
  name: 'record',
  call: 'npm run record',
  script: 'record',
  does: 'record the workflows, the examples and the AI agent again',
  about: 'Seed and clock are fixed, and nothing depends on the machine, so the same code writes the same bytes.',
  flags: {
    check: {
      type: 'boolean',
      does: 'write nothing; print the recordings that would change, and exit with 1 if there are any',
    },
    out: {
      type: 'string',
      value: 'FOLDER',
      default: join(projectRoot, 'test/conformance/recordings'),
      does: 'where to write (default test/conformance/recordings)',
    },
  },
  examples: [['--check', 'what would change']],
  async run({ flags: { check, out }, output }) {
    const say = (line: string): void => output.stdout(`${line}\n`);
    const startedAt = performance.now();
    const recordings = new Map([...(await recordMocks()), ...(await recordWorkflows()), ...(await recordAgents())]);
    const lines = keepRecordings(recordings, out, check);
    for (const line of lines) say(`  ${line}`);
    say(`${recordings.size} recordings, ${lines.length} changed (${secondsSince(startedAt)})`);
    return check && lines.length > 0 ? 1 : 0;
  },
});

if (import.meta.main) await runScript(command);
