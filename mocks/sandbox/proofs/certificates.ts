import { indexOfBytes } from '../node/machine/bytes.ts';
import { readValidity } from '../node/machine/certificate.ts';

/** The result of checking an attestation's certificates at the platform's time. */
export interface Judged {
  /** Null if all are valid at that time. */
  readonly fault: string | null;
  /** The attestation, changed so that the library doesn't check the validity by the machine's clock. */
  readonly attestationObject: Uint8Array<ArrayBuffer>;
}

/**
 * Checks the certificates of an attestation by the platform's clock (D57). The library has no parameter for the time
 * and uses the machine's clock. So it gets a copy in which the leaf is always valid. Nothing else reads those bytes,
 * because a leaf of these formats isn't checked against a root. For the formats with such a check (Android, Apple), the
 * copy would break the chain. There the library also checks by the machine's clock.
 * @param format of the statement.
 * @param certificates its `x5c`, the leaf first.
 * @param now in milliseconds.
 */
export function judgeCertificates(
  attestationObject: Uint8Array<ArrayBuffer>,
  format: string,
  certificates: readonly Uint8Array[],
  now: number,
): Judged {
  for (const certificate of certificates) {
    const { from, to } = read(certificate);
    if (now < from.getTime())
      return { fault: `a certificate is not valid before ${from.toISOString()}`, attestationObject };
    if (now > to.getTime()) return { fault: `a certificate is not valid after ${to.toISOString()}`, attestationObject };
  }
  const [leaf] = certificates;
  const at = leaf === undefined || !unchained.includes(format) ? -1 : indexOfBytes(attestationObject, leaf);
  if (leaf === undefined || at < 0) return { fault: null, attestationObject };
  const copy = attestationObject.slice();
  copy.set(withoutTimes(leaf), at);
  return { fault: null, attestationObject: copy };
}

/** @throws Error if it isn't a certificate. Its message may be shown */
function read(certificate: Uint8Array): ReturnType<typeof readValidity> {
  try {
    return readValidity(certificate);
  } catch {
    throw new Error('a certificate of the attestation is not readable');
  }
}

/** Formats whose leaf the library doesn't check against a root. */
const unchained: readonly string[] = ['packed', 'tpm'];

const tags = { integer: 0x02, utcTime: 0x17, version: 0xa0 } as const;

const utf8 = new TextEncoder();

/** The certificate with the longest validity that its time formats can express (X.509, 4.1.2.5; RFC 5280). */
function withoutTimes(certificate: Uint8Array): Uint8Array {
  const copy = certificate.slice();
  const body = derAt(copy, derAt(copy, 0).start);
  // Before the validity, only the version is optional. Serial number, algorithm and issuer are always there.
  let at = body.start;
  if (copy[at] === tags.version) at = derAt(copy, at).end;
  for (let field = 0; field < 3; field += 1) at = derAt(copy, at).end;
  const notBefore = derAt(copy, derAt(copy, at).start);
  const notAfter = derAt(copy, notBefore.end);
  copy.set(utf8.encode(notBefore.tag === tags.utcTime ? '500101000000Z' : '00010101000000Z'), notBefore.start);
  copy.set(utf8.encode(notAfter.tag === tags.utcTime ? '491231235959Z' : '99991231235959Z'), notAfter.start);
  return copy;
}

/** Reads one DER value (X.690, 8.1) at a position. */
function derAt(bytes: Uint8Array, at: number): { readonly tag: number; readonly start: number; readonly end: number } {
  const [tag = 0, first = 0] = bytes.subarray(at);
  const extra = first < 0x80 ? 0 : first & 0x7f;
  let length = extra === 0 ? first : 0;
  for (let index = 0; index < extra; index += 1) length = length * 256 + (bytes[at + 2 + index] ?? 0);
  const start = at + 2 + extra;
  return { tag, start, end: start + length };
}
