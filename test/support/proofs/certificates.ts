/**
 * Makes an authenticator's certificate (WebAuthn L3, 8.2.1), valid when a test needs it. It writes DER itself, because
 * there are only a dozen values.
 */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface AttestationCertificate {
  readonly der: Buffer;
  /** Signs like the authenticator that has the certificate. */
  readonly sign: (data: Uint8Array) => Uint8Array;
}

/** A self-signed certificate on P-256. @param from @param to as ISO 8601 in UTC. @param organization in its name. */
export function makeCertificate(from: string, to: string, organization = 'Example'): AttestationCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(
    part('550406', 'XX'),
    part('55040a', organization),
    part('55040b', 'Authenticator Attestation'),
    part('550403', 'Example key'),
  );
  const basicConstraints = sequence(oid('551d13'), value(0x04, sequence()));
  const body = sequence(
    value(0xa0, value(0x02, Buffer.of(2))),
    value(0x02, Buffer.of(1)),
    algorithm,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    value(0xa3, sequence(basicConstraints)),
  );
  const signBy = (data: Uint8Array): Buffer => sign('sha256', data, privateKey);
  const signature = value(0x03, Buffer.concat([Buffer.of(0), signBy(body)]));
  return { der: sequence(body, algorithm, signature), sign: signBy };
}

function value(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...values: readonly Buffer[]): Buffer {
  return value(0x30, Buffer.concat(values));
}

function oid(hex: string): Buffer {
  return value(0x06, Buffer.from(hex, 'hex'));
}

function part(type: string, text: string): Buffer {
  return value(0x31, sequence(oid(type), value(0x13, Buffer.from(text))));
}

/** UTCTime until 2049, GeneralizedTime from 2050 on (RFC 5280, 4.1.2.5). */
function time(iso: string): Buffer {
  const digits = `${iso.replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  return digits < '2050' ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits));
}
