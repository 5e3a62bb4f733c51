/** Promise: a snippet of the how-to pages, pasted as it stands, does what the text beside it says. */
import { expect, it } from 'vitest';
import { readGuide, runShell } from '../support/requests/snippets.ts';

it('steers the clock, resets and asks for health', async () => {
  const { snippets } = readGuide('docs/how-to/clock.md');
  const output = await runShell(snippets('clock').replaceAll('curl ', 'curl -sS '));
  expect(output).toMatch(/"frozen":false[\s\S]*"frozen":false[\s\S]*"status":"ready"/);
});
