/** What every script needs: where the project is, how to say how long something took. */
import { fileURLToPath } from 'node:url';
import { root } from '../../contract/root.ts';

/** The project's folder, without a trailing slash. */
export const projectRoot = fileURLToPath(root).replace(/[\\/]$/, '');

/** Seconds since `startedAt` (a `performance.now()` value), with one decimal and the unit: `1.4 s`. */
export function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Git on another system, or an editor, may have made the line ends CRLF; nothing we compare may depend on it. */
export function withUnixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
