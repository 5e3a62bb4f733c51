/**
 * Promise: the sandbox answers its own recordings as before, on every engine, with magic and with real proofs. Only the
 * recorded requests are used: ids, secrets and times are new each time.
 */
import { expect, test } from 'vitest';
import { playAll, readRecording, recordingNames, tell } from '../support/requests/replayed.ts';
import { byLength, sample } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

const names = recordingNames('sandbox-');

test('there is a recording for each workflow', () => {
  expect(names.length).toBeGreaterThanOrEqual(17);
});

test.each(sample(names, 3))('%s: no difference', async (name) => {
  const { fetch } = await openSandbox();
  const entries = readRecording(name);
  const played = await playAll(entries, { fetch });
  expect(tell(played)).toEqual([]);
  expect(played.filter(({ kind }) => kind === 'played')).toHaveLength(entries.length);
});

test.each(byLength(['sandbox-revocation.har'], names))('%s: no difference with real proofs either', async (name) => {
  const { fetch } = await openSandbox();
  expect(tell(await playAll(readRecording(name), { fetch, proofs: 'real' }))).toEqual([]);
});

test('as another service would record it, amounts follow from each other', async () => {
  const { fetch } = await openSandbox();
  expect(tell(await playAll(readRecording('sandbox-quote-from-account.har'), { fetch, exact: false }))).toEqual([]);
});
