/** Helpers for every script: the project's folder, elapsed time, line ends. */
import { fileURLToPath } from 'node:url';
import { root } from '../../contract/root.ts';

/** The project's folder, without a trailing slash. */
export const projectRoot = fileURLToPath(root).replace(/[\\/]$/, '');

/** Seconds since `startedAt` (a `performance.now()` value), with one decimal and the unit: `1.4 s`. */
export function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Converts CRLF to LF. Git on another system or an editor may write CRLF, and no comparison may depend on that. */
export function withUnixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
