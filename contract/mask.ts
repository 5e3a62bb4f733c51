/**
 * What must not be shown: the register of secrets in headers, bodies and addresses, and how they are masked. A masked
 * field keeps its length and kinds of characters, so it fits the schema that the secret fitted. Imports nothing, so that
 * whoever writes exchanges down can use it.
 */

/** Headers that carry a secret, in lower case. */
const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'service-wallet-signature',
]);

/** Fields of the contract that carry a secret; of an object everything in it. */
const secretFields = new Set([
  'accessToken',
  'assertion',
  'attestation',
  'clientSecret',
  'encryptedSessionSigningKey',
  'encryptedWalletCredentials',
  'oidcToken',
  'otp',
  'signature',
]);

/** Names that no operation has and that look like a secret all the same. */
const secretLooking = /(?:secret|password|passphrase|passcode|private_?key|api_?key|mnemonic|token)$/i;

/** Inside a secret: what tells its kind, or how a device is reached. */
const harmless = new Set(['type', 'transports']);

/** Secrets that show by their form, wherever they stand: device codes, agents' tokens, signed JWTs. */
const secretForms = /AGENT-[A-Za-z0-9]{4}-[A-Za-z0-9]{4}|agent_[0-9a-f]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]*/g;

function isSecret(name: string): boolean {
  return secretFields.has(name) || secretLooking.test(name);
}

/** One header's value, masked when the header carries a secret; credentials keep their scheme. */
export function maskHeader(name: string, value: string): string {
  const key = name.toLowerCase();
  if (!secretHeaders.has(key) && !secretLooking.test(key.replaceAll('-', ''))) return maskText(value);
  const [, scheme] = /^(Basic|Bearer)\s/i.exec(value) ?? [];
  // "masked:masked" in base64, so that it is still a pair.
  if (scheme?.toLowerCase() === 'basic') return `${scheme} bWFza2VkOm1hc2tlZA==`;
  return scheme === undefined ? 'masked' : `${scheme} masked`;
}

/** An address: device codes in its path, and parameters that carry a secret. */
export function maskUrl(url: string): string {
  return maskText(url).replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) =>
    isSecret(name) ? `${mark}${name}=${disguise(value)}` : whole,
  );
}

/** A parsed body, or any text, with the secrets in it masked; what is none is left as it was. */
export function maskBody(body: unknown): unknown {
  return walk(body, false);
}

/** The value of a field or parameter, masked as it is inside a body. @param names the fields that lead to it */
export function maskNamed(names: readonly string[], value: unknown): unknown {
  return walk(value, names.some(isSecret) && !harmless.has(names.at(-1) ?? ''));
}

function maskText(text: string): string {
  return text.replace(secretForms, disguise);
}

function walk(value: unknown, inSecret: boolean): unknown {
  if (typeof value === 'string') return inSecret ? disguise(value) : maskText(value);
  if (typeof value === 'number') return inSecret ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => walk(item, inSecret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      walk(item, (inSecret || isSecret(name)) && !harmless.has(name)),
    ]),
  );
}

/** Letters and digits become others of their kind, which hexadecimal and base58 know too; a known prefix stays. */
function disguise(text: string): string {
  const [prefix] = /^(?:agent_|AGENT-)/.exec(text) ?? [''];
  const rest = text.slice(prefix.length);
  return prefix + rest.replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A').replaceAll(/[0-9]/g, '1');
}
