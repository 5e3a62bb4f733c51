import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';

/** From when to when an X.509 certificate is valid. @throws Error if the bytes aren't one. */
export function readValidity(certificate: Uint8Array): { readonly from: Date; readonly to: Date } {
  const { notBefore, notAfter } = AsnConvert.parse(certificate, Certificate).tbsCertificate.validity;
  return { from: notBefore.getTime(), to: notAfter.getTime() };
}
