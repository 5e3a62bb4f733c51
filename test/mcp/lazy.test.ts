/** Promise: MCP is loaded only if it is used: no module that is loaded at the start imports it directly. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';

/** The modules that a file loads directly: its static imports of values. */
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

  it('and an eager import would be found', () => {
    expect([...loads(join(projectRoot, 'mocks/sandbox/mcp/answer.ts')).values()].flat()).toContain(
      '@modelcontextprotocol/server',
    );
  });
});
