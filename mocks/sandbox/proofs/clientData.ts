import { base64UrlBytes } from '../tools/bytes.ts';

/** The part of a browser's signed client data (WebAuthn L3, 5.8.1) that we read ourselves. */
interface ClientData {
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
  readonly topOrigin?: unknown;
}

/** The client data of a response; empty if it can't be read. A byte order mark is skipped (L3, 7.1). */
export function readClientData(clientDataJson: string): ClientData {
  try {
    const text = new TextDecoder().decode(base64UrlBytes(clientDataJson));
    return (JSON.parse(text) ?? {}) as ClientData;
  } catch {
    return {};
  }
}

/**
 * Why a response from this frame is refused. Null if the page itself called, or a frame of a page that the settings
 * admit (D19). A frame that doesn't name its page could be anywhere.
 */
export function findFrameFault(clientDataJson: string, topOrigins: readonly string[] = []): string | null {
  const { crossOrigin = false, topOrigin } = readClientData(clientDataJson);
  if (crossOrigin === false) {
    return topOrigin === undefined ? null : 'topOrigin is there, although crossOrigin is not true';
  }
  if (crossOrigin !== true) return 'crossOrigin is neither true nor false';
  if (typeof topOrigin === 'string' && topOrigins.includes(topOrigin)) return null;
  const named = typeof topOrigin === 'string' ? topOrigin : 'an unknown origin';
  return `the passkey was used in a frame of ${named}; topOrigins of the settings must list the page's origin`;
}
