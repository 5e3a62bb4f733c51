/**
 * What the sandbox takes from Node's cryptography, and the one place where it does: a runtime without `node:crypto` needs
 * these few, and nothing else.
 */
export {
  createHmac,
  createPublicKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  verify,
  X509Certificate,
} from 'node:crypto';
