/** Generates invalid requests from the contract's own examples. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { pointerSegment } from '../../../contract/pointer.ts';
import { addUniqueItems } from '../../../contract/uniqueItems.ts';
import type { Operation } from '../../../generated/operations.ts';
import { bundle } from '../expect/apiError.ts';
import { brokenTexts, encodeText, literalFaults, oddValues, readLiterals, writeJson } from './literals.ts';
import { type Json, requestExamples } from './targets.ts';

/** A request before it is sent; `path` is relative to the base address. */
export interface RawGarbage {
  readonly name: string;
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A valid request that garbage changes in one thing. */
interface Target {
  readonly operation: Operation;
  /** The path with existing ids, and the query that the operation requires. */
  readonly path: string;
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
// Bodies that this validator accepts aren't used as garbage. So it may be more lenient than the sandbox, but not
// stricter.
ajv.addFormat('p256-point', true);
// The same format in another notation than the contract's (D48).
ajv.addFormat('plain-name', /^(?! )(?!.* $)[\p{L}\p{M}\p{N} ._'()-]+$/u);
addUniqueItems(ajv);
ajv.addSchema(bundle, 'contract');

/** Whether the contract accepts the body, by another validator than the sandbox's. */
export function isValidBody({ path, method }: Operation, body: unknown): boolean {
  const pointer = `#/paths/${encodeURIComponent(pointerSegment(path))}/${method.toLowerCase()}`;
  // Compiled once. `ajv.validate` with a `$ref` would compile it for every body, and keep each.
  const validate = ajv.getSchema(`contract${pointer}/requestBody/content/application~1json/schema`);
  if (validate === undefined) throw new Error(`${method} ${path} has no body in the contract`);
  return literalFaults(body as Json).length === 0 && validate(readLiterals(body as Json)) === true;
}

const nasty: fc.Arbitrary<Json> = fc.oneof(
  oddValues,
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    ' ',
    '\ud83d\ude00',
    {},
    [],
    [null],
    'null',
    '0',
    -0,
    2 ** 53,
  ),
  fc.constantFrom<Json>('../..', '{{7*7}}', "' or 1=1 --", '<script>', 'a'.repeat(5000), '\r\nX: y', '%00', '\u202e'),
);
const strangeKeys = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
    'toJSON',
    'hasOwnProperty',
    '',
    ' ',
    'Type',
    'type ',
    'id',
    'email',
    '$ref',
  ),
  fc.string(),
  fc.constantFrom(...brokenTexts),
);

const mutation = fc.record({
  at: fc.nat(),
  what: fc.constantFrom('replace', 'remove', 'add', 'nest'),
  value: nasty,
  key: strangeKeys,
});

/** A body with one to three random changes at random places. */
export function mutated(bodies: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(bodies, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([body, mutations]) => mutations.reduce(mutate, body));
}

/** An example of the operation's body with one to three changes that the contract refuses. */
export function mutatedBody(operation: Operation): fc.Arbitrary<Json> {
  const examples = fc.constantFrom(...requestExamples(operation));
  return mutated(examples).filter((body) => !isValidBody(operation, body));
}

function mutate(body: Json, { at, what, value, key }: { at: number; what: string; value: Json; key: string }): Json {
  const copy = JSON.parse(JSON.stringify({ body }));
  // Every place in the body: the object that holds it, and its key in that object.
  const places: [holder: Record<string, Json>, key: string][] = [];
  const collect = (holder: Record<string, Json>): void => {
    for (const [name, child] of Object.entries(holder)) {
      places.push([holder, name]);
      if (typeof child === 'object' && child !== null) collect(child as Record<string, Json>);
    }
  };
  collect(copy);
  const [holder, name] = places[at % places.length] ?? [copy, 'body'];
  const old = holder[name] ?? null;
  const put = (target: object, field: string, given: Json): unknown =>
    Object.defineProperty(target, field, { value: given, enumerable: true, configurable: true, writable: true });
  if (what === 'remove' && holder !== copy) delete holder[name];
  else if (what === 'nest') put(holder, name, [old]);
  else if (what === 'add' && typeof old === 'object' && old !== null)
    put(old, Array.isArray(old) ? String(old.length) : key, value);
  else put(holder, name, value);
  return copy.body;
}

/** Bytes that aren't a body of any operation. */
export function brokenBodies(operation: Operation): [name: string, body: string | Uint8Array<ArrayBuffer>][] {
  const text = JSON.stringify(requestExamples(operation)[0]);
  const bytes = (...parts: (string | Buffer)[]): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
  return [
    ['cut', text.slice(0, -1)],
    ['twice', text + text],
    ['UTF-16', bytes(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['not UTF-8', bytes(text.slice(0, -1), Buffer.from([0xff]), '}')],
    ['with a NUL', `${text}\u0000`],
    ['half a surrogate pair as a key', `${text.slice(0, -1)}${text.length > 2 ? ',' : ''}"\\ud800":1}`],
    ['a NUL in a key', `${text.slice(0, -1)}${text.length > 2 ? ',' : ''}"\\u0000":1}`],
    ['a prototype', `${text.slice(0, -1)}${text.length > 2 ? ',' : ''}"__proto__":{"type":"PASSKEY"}}`],
    ['deep', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['deep in a field', `{"type":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
    ['wide', `[${'0,'.repeat(500_000)}0]`],
    ['many fields', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join()}}`],
    ['a long string', JSON.stringify('a'.repeat(1_000_000))],
    ['a long number', '9'.repeat(1_000_000)],
    ['too large', `${text}${' '.repeat(1024 * 1024)}`],
    ['null', 'null'],
    ['a list', `[${text}]`],
    ['a string', JSON.stringify(text)],
    ['a form', 'type=EMAIL_OTP&amount=1'],
    ['XML', '<?xml version="1.0"?><amount>1</amount>'],
  ];
}

/** Garbage of every kind for the operation. The only correct answer is an error. */
export function garbage({ operation, path }: Target): fc.Arbitrary<RawGarbage> {
  const valid = JSON.stringify(requestExamples(operation)[0] ?? {});
  const base: { body?: string } = operation.body === 'none' ? {} : { body: valid };
  const joined = (query: string): string => path + (path.includes('?') ? '&' : '?') + query;
  const kinds: fc.Arbitrary<RawGarbage>[] = [
    fc
      .tuple(fc.string({ minLength: 1 }), fc.string())
      .filter(([name]) => !['limit', 'cursor', 'accountId', 'customerId', 'currency', 'type', 'region'].includes(name))
      .map(([name, value]) => ({ name: 'query', ...base, path: joined(`z${encodeText(name)}=${encodeText(value)}`) })),
    fc.constantFrom('%', '%Z', 'a=%ZZ', 'a=%C0%AF', 'a=%ED%A0%80', '__proto__=1', 'a[]=1&a[]=2').map((query) => ({
      name: 'escape',
      ...base,
      path: joined(query),
    })),
    fc.constantFrom('text/html', 'image/*', 'application/json;q=0', 'x').map((accept) => ({
      name: 'accept',
      ...base,
      path,
      headers: { accept },
    })),
  ];
  if (operation.security !== 'none') {
    const scheme = fc.constantFrom('Basic', 'Bearer', 'Digest', '');
    const rest = fc.string({ unit: fc.constantFrom(...'abcXYZ019+/=:., "\u00e9\u00ff') });
    kinds.push(
      fc
        .tuple(scheme, rest)
        .map((both) => ({ name: 'credentials', ...base, path, headers: { authorization: both.join(' ') } })),
    );
  }
  if (operation.path.includes('{')) {
    const id = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom(...brokenTexts),
      // URL parsers remove these segments except at the end. The rest may be another operation's path.
      fc.constantFrom(...(operation.path.endsWith('}') ? ['..', '.'] : []), '%', 'Customer:a', 'a'.repeat(3000)),
    );
    kinds.push(
      id.map((text) => ({ name: 'id', ...base, path: operation.path.replaceAll(/\{\w+\}/g, () => encodeText(text)) })),
    );
  }
  if (operation.domain === 'auth' && operation.signedRetry) {
    const text = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcXYZ019+/=:.-_\u00e9') });
    const headers = fc.record({ 'request-id': text, 'service-wallet-signature': text });
    kinds.push(headers.map((pair) => ({ name: 'signature', ...base, path, headers: pair })));
  }
  if (operation.body !== 'none') {
    kinds.push(mutatedBody(operation).map((body) => ({ name: 'body', path, body: writeJson(body) })));
    kinds.push(mutatedBody(operation).map((body) => ({ name: 'body', path, body: writeJson(body) })));
    const type = fc.constantFrom(
      '',
      'text/plain',
      'undefined',
      'application/xml',
      'application/json;charset=utf-16',
      'a/b;c',
    );
    kinds.push(type.map((one) => ({ name: 'type', path, body: valid, headers: { 'content-type': one } })));
  }
  return fc.oneof(...kinds);
}
