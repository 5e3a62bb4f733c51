/** Apart from the rest of the cryptography: where no such reader is built in, one is loaded, for real proofs only. */
import { X509Certificate } from 'node:crypto';

/** From when to when an X.509 certificate is valid. @throws Error if the bytes aren't one. */
export function readValidity(certificate: Uint8Array): { readonly from: Date; readonly to: Date } {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return { from: validFromDate, to: validToDate };
}
