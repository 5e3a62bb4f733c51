/**
 * What must not be shown: the register of secrets in headers, bodies and addresses, and how they are masked. A masked
 * field keeps its length and kinds of characters, so it fits the schema that the secret fitted. Imports nothing, so that
 * everything that writes exchanges down can use it.
 */

/** Headers that carry a secret, in lower case. */
const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'service-wallet-signature',
]);

/** Fields of the contract that carry a secret; of an object everything in it. In lower case, without hyphens and the like. */
const secretFields = new Set([
  'accesstoken',
  'assertion',
  'attestation',
  'clientsecret',
  'encryptedsessionsigningkey',
  'encryptedwalletcredentials',
  'oidctoken',
  'otp',
  'signature',
]);

/** Names that no operation has and that look like a secret anyway. */
const secretLooking =
  /(?:secret|password|passphrase|passcode|privatekey|apikey|mnemonic|token|otp|signature|assertion)$/;

/** Inside a secret: what tells its kind, or how a device is reached. */
const harmless = new Set(['type', 'transports']);

/** Secrets that show by their form, wherever they stand: device codes and agents' tokens; {@link maskJwts} has the third. */
const secretForms = /\bagent-[a-z0-9]{4}-[a-z0-9]{4}(?![a-z0-9])|agent_[0-9a-f]{64}/gi;

/** Whether that names a secret, in any spelling: `clientSecret`, `client_secret`, `CLIENT-SECRET`, `user[otp]`. */
export function isSecret(name: string): boolean {
  return name.split(/[[\].]+/).some((part) => {
    const plain = part.toLowerCase().replace(/[^a-z0-9]/g, '');
    return secretFields.has(plain) || secretLooking.test(plain);
  });
}

/** One header's value, masked when the header carries a secret; credentials keep their scheme. */
export function maskHeader(name: string, value: string): string {
  if (!secretHeaders.has(name.toLowerCase()) && !isSecret(name)) return maskText(value);
  const [, scheme] = /^(Basic|Bearer)\s/i.exec(value) ?? [];
  // "masked:masked" in base64, so that it is still a pair.
  if (scheme?.toLowerCase() === 'basic') return `${scheme} bWFza2VkOm1hc2tlZA==`;
  return scheme === undefined ? 'masked' : `${scheme} masked`;
}

/** An address: credentials before its host, device codes in its path, parameters that carry a secret. */
export function maskUrl(url: string): string {
  return maskText(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1masked@'));
}

/** A parsed body, or any text, with the secrets in it masked; what is none is left as it was. */
export function maskBody(body: unknown): unknown {
  return walk(body, false);
}

/** The value of a field or parameter, masked as it is inside a body. @param names the fields that lead to it */
export function maskNamed(names: readonly string[], value: unknown): unknown {
  return walk(value, names.some(isSecret) && !harmless.has(names.at(-1) ?? ''));
}

/** A JSON pointer, whose keys are whatever was sent. */
export function maskPointer(pointer: string): string {
  return maskForms(pointer);
}

/**
 * A text that is not JSON: a form with its secrets masked, any other as it is unless it names a secret or was to be JSON.
 * Then nobody can tell where the secret begins and ends.
 * @returns undefined for a text that must be left out.
 */
export function maskPlainText(text: string): string | undefined {
  if (isForm(text)) return maskText(text);
  return looksLikeJson(text) || namesSecret(unescaped(text)) ? undefined : maskText(text);
}

/** Pairs with ampersands between them and no white space. */
function isForm(text: string): boolean {
  const pairs = text.trim().split('&');
  return pairs.every((pair) => /^[^=\s]+=[^\s]*$/.test(pair));
}

function looksLikeJson(text: string): boolean {
  return /^\s*[{["]/.test(text);
}

function namesSecret(text: string): boolean {
  return (text.match(/[a-z][\w.-]*/gi) ?? []).some(isSecret);
}

/** A text inside something else: a field, a header, an address. */
function maskText(text: string, level = 0): string {
  if (looksLikeJson(text)) {
    const parsed = parse(text);
    if (parsed !== undefined) {
      const masked = walk(parsed.value, false);
      const [before, after] = [JSON.stringify(parsed.value), JSON.stringify(masked)];
      return before === after ? text : after;
    }
    // It can't be read, so nothing of it is shown if it may name a secret.
    if (namesSecret(text) || text.includes('\\u')) return disguise(text);
  }
  return maskForms(maskPairs(text, level));
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** `name=value`, as in queries and forms. A value that was encoded may be a text with secrets of its own. */
function maskPairs(text: string, level: number): string {
  if (!text.includes('=')) return text;
  return text.replace(/(^|[?&#;,\s])([^=&?#;,\s]+)=([^&#\s]*)/g, (whole, mark: string, name: string, value: string) => {
    const read = unescaped(value.replaceAll('+', ' '));
    const names = [unescaped(name), ...read.split('=').slice(0, -1)];
    const isEncoded = read !== value || looksLikeJson(value);
    const masked = names.some(isSecret) ? disguise(read) : isEncoded && level < 3 ? maskText(read, level + 1) : read;
    return masked === read ? whole : `${mark}${name}=${encodeURIComponent(masked)}`;
  });
}

/** Secrets by their form, also where some of their characters are percent-encoded. */
function maskForms(text: string): string {
  const plain = maskJwts(text.replace(secretForms, disguise));
  if (!plain.includes('%')) return plain;
  return plain
    .split(/([\s/?&#=;,"'<>]+)/)
    .map((piece) => {
      if (!piece.includes('%')) return piece;
      const read = unescaped(piece);
      const masked = maskJwts(read.replace(secretForms, disguise));
      return masked === read ? piece : encodeURIComponent(masked);
    })
    .join('');
}

/** Signed JWTs: three parts with dots, of which the first begins like a JSON object in base64. */
function maskJwts(text: string): string {
  if (!text.includes('eyJ')) return text;
  return text.replace(/[\w.-]+/g, (run) => {
    const parts = run.split('.');
    const first = parts.slice(0, -2).findIndex((part) => part.includes('eyJ'));
    if (first < 0) return run;
    const at = parts.slice(0, first).join('.').length + Math.min(first, 1) + (parts[first] ?? '').indexOf('eyJ');
    return run.slice(0, at) + disguise(run.slice(at));
  });
}

/** A text without its percent-encoding, also one that was encoded several times. What isn't an escape stays. */
function unescaped(text: string): string {
  let read = text;
  for (let time = 0; time < 4 && read.includes('%'); time += 1) {
    const next = read.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        // No UTF-8. Secrets that show by their form are ASCII.
        return escapes.replace(/%([0-7][0-9a-f])/gi, (_escape, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
      }
    });
    if (next === read) return read;
    read = next;
  }
  return read;
}

function walk(value: unknown, inSecret: boolean): unknown {
  if (typeof value === 'string') return inSecret ? disguise(value) : maskText(value);
  if (typeof value === 'number') return inSecret ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => walk(item, inSecret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      maskForms(name),
      walk(item, (inSecret || isSecret(name)) && !harmless.has(name)),
    ]),
  );
}

/** Letters and digits become others of their kind, which hexadecimal and base58 know too; a known prefix stays. */
export function disguise(text: string): string {
  const [prefix] = /^(?:agent_|agent-)/i.exec(text) ?? [''];
  const rest = text.slice(prefix.length).replaceAll(/[^\0-\x7f]+/g, (letters) => 'a'.repeat([...letters].length));
  return prefix + rest.replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A').replaceAll(/[0-9]/g, '1');
}
