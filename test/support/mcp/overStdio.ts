/** Runs `countersign mcp` as a process, with a client on its stdin and stdout. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import { projectRoot } from '../../../scripts/lib/project.ts';
import { connectClient, type Era, type TestClient } from './client.ts';

export interface Started extends TestClient {
  /** Its output outside the protocol. */
  printed(): string;
  readonly pid: number | null;
}

/** Starts it for a sandbox. @param folder the folder of its user's settings */
export async function startMcp(
  origin: string,
  args: readonly string[],
  folder: string,
  era: Era = '2025',
): Promise<Started> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(projectRoot, 'cli/countersign.mjs'), 'mcp', '--url', origin, ...args],
    env: { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: folder },
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (chunk) => (text += chunk));
  const client = await connectClient(transport, { era });
  return { ...client, printed: () => text, pid: transport.pid };
}

/** Expects exactly one file in the folder, readable by its user only, and returns its text. */
export function expectPrivate(folder: string): string {
  const kept = join(folder, 'countersign/agents');
  const files = readdirSync(kept);
  expect(files).toHaveLength(1);
  const file = join(kept, files[0] ?? '');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  return readFileSync(file, 'utf8');
}
