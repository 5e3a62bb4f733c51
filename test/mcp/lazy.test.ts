/** Promise: MCP is loaded only if it is used: no module that is loaded at the start imports it directly. */
import { describe, expect, it } from 'vitest';
import { loadedWith } from '../support/run/loads.ts';

describe('is not loaded by', () => {
  it.each([
    'cli/main.ts',
    'cli/mcp.ts',
    'mocks/sandbox/main.ts',
    'mocks/sandbox/app.ts',
    'package/sandbox.ts',
    'mocks/sandbox/mcp/route.ts',
  ])('%s', (start) => {
    const { files, others } = loadedWith(start);
    expect(files.filter((file) => file.startsWith('mcp/') || file === 'generated/mcpTools.ts')).toEqual([]);
    expect(others.filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
  });

  it('and an eager import would be found', () => {
    expect(loadedWith('mocks/sandbox/mcp/answer.ts').others).toContain('@modelcontextprotocol/server');
  });
});
