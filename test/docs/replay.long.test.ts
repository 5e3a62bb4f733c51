/** Promise: the snippet of the guide to `countersign replay` does what the text below it says. */
import { expect, it } from 'vitest';
import { readGuide, runShell } from '../support/requests/snippets.ts';

it('plays a recording of another service, with two differences pinned and one new', async () => {
  const output = await runShell(readGuide('docs/how-to/replay.md').snippets('replay'));
  expect(output.match(/\[pinned: /g)).toHaveLength(2);
  expect(output).toMatch(
    /executeQuote[^\n]*\n {2}response\.body \/status is "PROCESSING" in the recording, and "COMPLETED" here/,
  );
  expect(output).toMatch(/6 entries, 6 played: 1 difference, and 2 pinned\.\nexit code 1\n$/);
});
