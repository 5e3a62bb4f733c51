/** Promise: who doesn't ask for MCP doesn't load it: nothing that a start loads imports it but on demand. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';

/** What a file loads with itself: its imports of values, without those that are asked for later. */
function loads(file: string, seen: Map<string, string[]> = new Map()): Map<string, string[]> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  const all = [...text.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)].map(([, name = '']) => name);
  seen.set(file, all);
  for (const name of all) if (name.startsWith('.') && name.endsWith('.ts')) loads(join(dirname(file), name), seen);
  return seen;
}

describe('is not loaded by', () => {
  it.each([
    'cli/main.ts',
    'cli/mcp.ts',
    'mocks/sandbox/main.ts',
    'mocks/sandbox/app.ts',
    'package/sandbox.ts',
    'mocks/sandbox/mcp/route.ts',
  ])('%s', (start) => {
    const found = loads(join(projectRoot, start));
    const files = [...found.keys()].map((file) => relative(projectRoot, file));
    expect(files.filter((file) => file.startsWith('mcp/') || file === 'generated/mcpTools.ts')).toEqual([]);
    expect([...found.values()].flat().filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
  });

  it('what is found otherwise', () => {
    expect([...loads(join(projectRoot, 'mocks/sandbox/mcp/answer.ts')).values()].flat()).toContain(
      '@modelcontextprotocol/server',
    );
  });
});
