/** Replays recordings on a test's sandbox. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Entry, Har } from 'har-format';
import { createMatcher } from '../../../conformance/match.ts';
import { type Fetch, openPlatform } from '../../../conformance/replay/platform.ts';
import { createReplay, type Played, startOf } from '../../../conformance/replay/play.ts';
import { loadContract } from '../../../contract/file.ts';
import { baseUrl } from '../sandbox/harness.ts';

const folder = new URL('../../conformance/recordings/', import.meta.url);

/** The names of the recordings with this prefix. */
export function recordingNames(start: 'sandbox-' | 'prism-'): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .sort();
}

/** The entries of one of our recordings. The test may change them. */
export function readRecording(name: string): Entry[] {
  return (JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Har).log.entries;
}

export interface Playing {
  readonly fetch: Fetch;
  readonly proofs?: 'magic' | 'real';
  readonly world?: unknown;
  /** Whether replies must be exactly the same, as in a recording of the sandbox itself; the default. */
  readonly exact?: boolean;
  /** The base addresses of the recorded service. */
  readonly bases?: readonly string[];
}

/** Replays entries in order, on a new platform if possible. */
export async function playAll(entries: readonly Entry[], playing: Playing): Promise<Played[]> {
  const { fetch, proofs = 'magic', world = 'ready-made', exact = true, bases } = playing;
  const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
  const platform = await openPlatform({ fetch, base: baseUrl, proofs, world, credentials, start: startOf(entries) });
  const replay = createReplay({ contract: loadContract(), match: createMatcher(bases), platform, entries, exact });
  const played: Played[] = [];
  for (const [index, entry] of entries.entries()) played.push(await replay.play(index, entry));
  return played;
}

/** The differences from the recording, one per line: `6 createQuote response.body /status replay/value`. */
export function tell(played: readonly Played[]): string[] {
  return played.flatMap((outcome, index) => {
    if (outcome.kind === 'skipped') return [];
    if (outcome.kind === 'unplayable') return [`${index} unplayable: ${outcome.why}`];
    return outcome.differences.map(({ in: place, pointer, rule }) =>
      [index, outcome.operationId, place, pointer, rule].filter((part) => part !== '').join(' '),
    );
  });
}
