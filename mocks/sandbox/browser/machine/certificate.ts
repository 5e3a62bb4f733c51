import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';

/** The validity period of an X.509 certificate. @throws Error if the bytes aren't a certificate */
export function readValidity(certificate: Uint8Array): { readonly from: Date; readonly to: Date } {
  const { notBefore, notAfter } = AsnConvert.parse(certificate, Certificate).tbsCertificate.validity;
  return { from: notBefore.getTime(), to: notAfter.getTime() };
}
