/**
 * A software passkey. It makes attestations (format `none`, or `packed` if requested) and assertions as a browser
 * returns them, with the interface's field names. A test can deviate in everything. It writes CBOR itself, because it
 * needs only four types.
 */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

export type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

/** Bits of the authenticator data (WebAuthn L3, 6.1). */
export const flags = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 } as const;

/** The settings of a passkey. The same `seed` gives the same id, and for ES256 the same key. */
export interface PasskeyFacts {
  readonly algorithm?: Algorithm;
  readonly seed?: string;
  /** The counter of the next response. It grows by one each time. With 0, the authenticator doesn't count. */
  readonly counter?: number;
  readonly origin?: string;
  readonly rpId?: string;
  /** In base64url. Assertions contain it if it is set. */
  readonly userHandle?: string;
}

/** How one response deviates from a correct authenticator. */
export interface Deviation {
  /** Members of the client data that replace the correct ones: `type`, `challenge`, `origin`, or any other. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  /** The id inside the attestation, or the id that an assertion names. */
  readonly credentialId?: string;
  readonly userHandle?: string | null;
  /** A `packed` attestation, signed with the passkey's own key, or with `sign` if there are certificates. */
  readonly packed?: boolean;
  /** The algorithm that a `packed` attestation names, instead of the key's. */
  readonly statementAlgorithm?: number;
  /**
   * An attestation in the format of older security keys (WebAuthn L3, 8.6); with `certificates` and `sign`, for ES256.
   */
  readonly u2f?: boolean;
  /** The certificates of the statement, leaf first. */
  readonly certificates?: readonly Buffer[];
  /** The public key as COSE, instead of the passkey's own. */
  readonly cose?: Entries;
  /** Makes the signature instead of the passkey's key. */
  readonly sign?: (data: Uint8Array) => Uint8Array;
}

export interface Attestation {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
  readonly transports: ['internal'];
}

export interface Assertion {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
}

export interface SoftPasskey {
  /** Its WebAuthn id, base64url. */
  readonly credentialId: string;
  /** What `navigator.credentials.create` returns. @param challenge base64url. */
  attest(challenge: string, deviation?: Deviation): Attestation;
  /** What `navigator.credentials.get` returns. @param challenge base64url, as the service issued it. */
  assert(challenge: string, deviation?: Deviation): Assertion;
  /** The key's signature over the data; DER for ES256. */
  sign(data: Uint8Array): Uint8Array;
}

/** A passkey on `http://localhost:4010` with the rpId `localhost`, which every new platform accepts. */
export function createPasskey(facts: PasskeyFacts = {}): SoftPasskey {
  const { algorithm = 'ES256', seed = 'passkey', origin = 'http://localhost:4010', rpId = 'localhost' } = facts;
  const id = sha256(`id of ${seed}`);
  const key = makeKey(algorithm, seed);
  let counter = facts.counter ?? 0;

  const nextCounter = (): number => {
    const current = counter;
    if (counter > 0) counter += 1;
    return current;
  };
  const clientData = (type: string, challenge: string, deviation: Deviation): Buffer => {
    // A browser encodes the challenge's bytes again, so the result has the same spelling for every input.
    const spelling = Buffer.from(challenge, 'base64url').toString('base64url');
    return Buffer.from(
      JSON.stringify({ type, challenge: spelling, origin, crossOrigin: false, ...deviation.clientData }),
    );
  };
  const authenticatorData = (presence: number, deviation: Deviation): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(deviation.flags ?? presence, 0);
    head.writeUInt32BE(deviation.counter ?? nextCounter(), 1);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), head]);
  };
  const credentialId = id.toString('base64url');

  return {
    credentialId,
    sign: key.sign,
    attest(challenge, deviation = {}) {
      const inside = Buffer.from(deviation.credentialId ?? credentialId, 'base64url');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(inside.length);
      const presence = flags.userPresent | flags.userVerified | flags.attested;
      const data = authenticatorData(presence, deviation);
      const cose = deviation.cose === undefined ? key.cose : cborMap(deviation.cose);
      const authData = Buffer.concat([data, Buffer.alloc(16), length, inside, cose]);
      const json = clientData('webauthn.create', challenge, deviation);
      const signature = () => Buffer.from((deviation.sign ?? key.sign)(Buffer.concat([authData, sha256(json)])));
      const statement: Entries = deviation.packed
        ? [
            ['alg', deviation.statementAlgorithm ?? key.algorithm],
            ['sig', signature()],
            ...(deviation.certificates === undefined ? [] : [['x5c', deviation.certificates] as const]),
          ]
        : [];
      const u2f = (): Entries => {
        const point = p256.getPublicKey(es256Secret(seed), false);
        const signed = Buffer.concat([Buffer.of(0), data.subarray(0, 32), sha256(json), inside, point]);
        return [
          ['sig', Buffer.from((deviation.sign ?? key.sign)(signed))],
          ['x5c', deviation.certificates ?? []],
        ];
      };
      const object = cborMap([
        ['fmt', deviation.u2f ? 'fido-u2f' : deviation.packed ? 'packed' : 'none'],
        ['attStmt', deviation.u2f ? u2f() : statement],
        ['authData', authData],
      ]);
      return {
        credentialId,
        clientDataJson: json.toString('base64url'),
        attestationObject: object.toString('base64url'),
        transports: ['internal'],
      };
    },
    assert(challenge, deviation = {}) {
      const json = clientData('webauthn.get', challenge, deviation);
      const data = authenticatorData(flags.userPresent | flags.userVerified, deviation);
      const signature = (deviation.sign ?? key.sign)(Buffer.concat([data, sha256(json)]));
      const userHandle = deviation.userHandle === undefined ? facts.userHandle : deviation.userHandle;
      return {
        credentialId: deviation.credentialId ?? credentialId,
        clientDataJson: json.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: Buffer.from(signature).toString('base64url'),
        ...(userHandle === undefined ? {} : { userHandle: userHandle as string }),
      };
    },
  };
}

/** The private key of an ES256 passkey made with that seed, for signatures of a special form. */
export function es256Secret(seed: string): Uint8Array {
  return p256.keygen(Buffer.concat([sha256(`key of ${seed}`), Buffer.alloc(16)])).secretKey;
}

interface SigningKey {
  /** The public key as COSE (RFC 9052, 7; RFC 9053, 2 and 7.2; RFC 8230, 4). */
  readonly cose: Buffer;
  /** Its COSE algorithm number. */
  readonly algorithm: number;
  readonly sign: (data: Uint8Array) => Uint8Array;
}

function makeKey(algorithm: Algorithm, seed: string): SigningKey {
  switch (algorithm) {
    case 'ES256': {
      const secretKey = es256Secret(seed);
      const point = Buffer.from(p256.getPublicKey(secretKey, false));
      const [x, y] = [point.subarray(1, 33), point.subarray(33)];
      const [d, crv] = [Buffer.from(secretKey).toString('base64url'), 'P-256'];
      const jwk = { kty: 'EC', crv, d, x: x.toString('base64url'), y: y.toString('base64url') };
      const facts: Entries = [
        [-1, 1],
        [-2, x],
        [-3, y],
      ];
      return withKey(createPrivateKey({ key: jwk, format: 'jwk' }), 'sha256', { type: 2, algorithm: -7, facts });
    }
    case 'RS256': {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const { n = '', e = '' } = privateKey.export({ format: 'jwk' });
      const facts: Entries = [
        [-1, Buffer.from(n, 'base64url')],
        [-2, Buffer.from(e, 'base64url')],
      ];
      return withKey(privateKey, 'sha256', { type: 3, algorithm: -257, facts });
    }
    case 'EdDSA': {
      const { privateKey } = generateKeyPairSync('ed25519');
      const { x = '' } = privateKey.export({ format: 'jwk' });
      const facts: Entries = [
        [-1, 6],
        [-2, Buffer.from(x, 'base64url')],
      ];
      return withKey(privateKey, null, { type: 1, algorithm: -8, facts });
    }
  }
}

interface CoseFacts {
  readonly type: number;
  readonly algorithm: number;
  readonly facts: Entries;
}

function withKey(privateKey: KeyObject, hash: string | null, { type, algorithm, facts }: CoseFacts): SigningKey {
  return {
    cose: cborMap([[1, type], [3, algorithm], ...facts]),
    algorithm,
    sign: (data) => sign(hash, data, privateKey),
  };
}

type CborValue = number | string | Buffer | readonly Buffer[] | Entries;
/** A CBOR map as a list of entries, in order. */
export interface Entries extends ReadonlyArray<readonly [key: number | string, value: CborValue]> {}

/** Encodes a CBOR map (RFC 8949, 3.1), with its entries in the given order. */
function cborMap(entries: Entries): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flatMap(([key, value]) => [cbor(key), cbor(value)])]);
}

function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  if (isList(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(cbor)]);
  return cborMap(value);
}

function isList(value: readonly Buffer[] | Entries): value is readonly Buffer[] {
  return value.length > 0 && Buffer.isBuffer(value[0]);
}

function cborHead(major: number, count: number): Buffer {
  if (count < 24) return Buffer.of((major << 5) | count);
  if (count < 0x100) return Buffer.of((major << 5) | 24, count);
  return Buffer.of((major << 5) | 25, count >> 8, count & 0xff);
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}
