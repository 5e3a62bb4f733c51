/** Promise: the guides' snippets, pasted unchanged, do what the text beside them says. */
import { expect, it } from 'vitest';
import { readGuide, runShell } from '../support/requests/snippets.ts';

it('case 116: reads every customer, page by page', async () => {
  const output = await runShell(readGuide('openapi/guides/06-pagination.md').snippets('pages'));
  const ids = output.trim().split('\n');
  expect(ids).toEqual([expect.stringMatching(/^Customer:/), expect.stringMatching(/^Customer:/)]);
  expect(new Set(ids).size).toBe(2);
});
