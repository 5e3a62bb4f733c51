/**
 * Lists the secrets in headers, bodies and addresses, and masks them. A masked field keeps its length and kinds of
 * characters, so it still fits its schema. This module imports nothing, so that all code that writes exchanges can use
 * it.
 */

/** Headers that carry a secret, in lower case. */
const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'service-wallet-signature',
]);

/**
 * Fields of the contract that carry a secret. If the value is an object, everything in it. In lower case, without
 * separators.
 */
const secretFields = [
  'accesstoken',
  'assertion',
  'attestation',
  'clientsecret',
  'encryptedsessionsigningkey',
  'encryptedwalletcredentials',
  'oidctoken',
  'otp',
  'signature',
];

/** Ends of other names that look like a secret, although no operation has them. */
const secretLooking = ['secret', 'password', 'passphrase', 'passcode', 'privatekey', 'apikey', 'mnemonic', 'token'];

/** Somebody may put a word before the name, as in `X-Client-Secret`. */
const secretNames = new RegExp(`(?:${[...secretFields, ...secretLooking].join('|')})$`);

/** Fields inside a secret that aren't secret: its type, or how to reach a device. */
const harmless = new Set(['type', 'transports']);

/**
 * Secrets that are recognised by their form anywhere: device codes and agents' tokens. {@link maskJwts} handles JWTs.
 */
const secretForms = /\bagent-[a-z0-9]{4}-[a-z0-9]{4}(?![a-z0-9])|agent_[0-9a-f]{64}/gi;

/**
 * Whether a name is that of a secret, in any spelling: `clientSecret`, `client_secret`, `CLIENT-SECRET`, `user[otp]`.
 */
export function isSecret(name: string): boolean {
  return name.split(/[[\].]+/).some((part) => secretNames.test(part.toLowerCase().replace(/[^a-z0-9]/g, '')));
}

/** Masks a header's value if the header carries a secret. Credentials keep their scheme. */
export function maskHeader(name: string, value: string): string {
  if (!secretHeaders.has(name.toLowerCase()) && !isSecret(name)) return maskText(value);
  const [, scheme] = /^(Basic|Bearer)\s/i.exec(value) ?? [];
  // "masked:masked" in base64, so that it stays a valid pair.
  if (scheme?.toLowerCase() === 'basic') return `${scheme} bWFza2VkOm1hc2tlZA==`;
  return scheme === undefined ? 'masked' : `${scheme} masked`;
}

/** Masks an address: credentials before its host, device codes in its path, secrets in its parameters. */
export function maskUrl(url: string): string {
  return maskText(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1masked@'));
}

/** Masks the secrets in a parsed body or any text. Everything else stays unchanged. */
export function maskBody(body: unknown): unknown {
  return walk(body, false);
}

/** Masks the value of a field or parameter as inside a body. @param names the fields that lead to it */
export function maskNamed(names: readonly string[], value: unknown): unknown {
  return walk(value, names.some(isSecret) && !harmless.has(names.at(-1) ?? ''));
}

/** Masks a JSON pointer, because its keys may be anything that was sent. */
export function maskPointer(pointer: string): string {
  return maskForms(pointer);
}

/**
 * Masks a text that isn't JSON. If it is a form, its secrets are masked. If another text names a secret or looks like
 * JSON, it must be left out, because its secret has no clear start and end.
 * @returns undefined for a text that must be left out.
 */
export function maskPlainText(text: string): string | undefined {
  if (isForm(text)) return maskText(text);
  return looksLikeJson(text) || namesSecret(unescaped(text)) ? undefined : maskText(text);
}

/** Whether a text is pairs with ampersands between them and no white space. */
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

/** Masks a text inside something else: a field, a header, an address. */
function maskText(text: string, level = 0): string {
  if (looksLikeJson(text)) {
    const parsed = parse(text);
    if (parsed !== undefined) {
      const masked = walk(parsed.value, false);
      const [before, after] = [JSON.stringify(parsed.value), JSON.stringify(masked)];
      return before === after ? text : after;
    }
    // This JSON can't be read. If it may name a secret, all of it is masked.
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

/** Masks `name=value` pairs, as in queries and forms. An encoded value may contain secrets too. */
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

/** Masks secrets by their form, also if some of their characters are percent-encoded. */
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

/** Masks signed JWTs: three parts with dots between them, the first of which starts like a JSON object in base64. */
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

/** Removes percent-encoding, also if it was applied several times. What isn't an escape stays. */
function unescaped(text: string): string {
  let read = text;
  for (let time = 0; time < 4 && read.includes('%'); time += 1) {
    const next = read.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        // This isn't UTF-8. Secrets with a known form are ASCII.
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

/** Replaces letters and digits by fixed ones, which are valid in hexadecimal and base58 too. A known prefix stays. */
export function disguise(text: string): string {
  const [prefix] = /^(?:agent_|agent-)/i.exec(text) ?? [''];
  const rest = text.slice(prefix.length).replaceAll(/[^\0-\x7f]+/g, (letters) => 'a'.repeat([...letters].length));
  return prefix + rest.replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A').replaceAll(/[0-9]/g, '1');
}
