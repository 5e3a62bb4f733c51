import { decodeBase64UrlField } from '../../../contract/encodings.ts';

/** What a browser signs of its surroundings (WebAuthn L3, 5.8.1), as far as we read it ourselves. */
interface ClientData {
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
  readonly topOrigin?: unknown;
}

/** The client data of a response; without any members if it can't be read. A byte order mark is passed over (L3, 7.1). */
export function readClientData(clientDataJson: string): ClientData {
  try {
    const text = new TextDecoder().decode(decodeBase64UrlField(clientDataJson) ?? undefined);
    return (JSON.parse(text) ?? {}) as ClientData;
  } catch {
    return {};
  }
}

/**
 * Why a response from this frame isn't taken; null if the page itself asked, or a frame of a page that the settings
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
