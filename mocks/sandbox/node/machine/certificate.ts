/** Separate from the other cryptography: a browser has no built-in reader, and loads one only for real proofs. */

/** The validity period of an X.509 certificate. @throws Error if the bytes aren't a certificate */
export function readValidity(certificate: Uint8Array): { readonly from: Date; readonly to: Date } {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return { from: validFromDate, to: validToDate };
}
