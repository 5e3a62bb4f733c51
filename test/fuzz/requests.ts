/** Generates requests of an operation from the contract: valid ones, and others with a fault. */
import fc from 'fast-check';
import { accountTypes } from '../../generated/accountTypes.ts';
import type { Operation } from '../../generated/operations.ts';
import { bundle } from '../support/expect/apiError.ts';
import { brokenValues, generator, type Preference, type SchemaNode } from '../support/requests/arbitrary.ts';
import { mutated } from '../support/requests/garbage.ts';
import { brokenTexts, keptNumbers, oddValues, unkeptNumbers, withEverywhere } from '../support/requests/literals.ts';
import { type Json, requestExamples } from '../support/requests/targets.ts';
import { magic, oidcToken } from '../support/scenes/builders.ts';
import { bodySchemaOf, type ParameterNode, parametersOf, type RequestParts } from './oracle.ts';
import { pick } from './picks.ts';

const currencies = [...new Set(Object.values(accountTypes).flatMap((type) => type.currencies))].filter(
  (code) => code !== '*',
);
const infoNames: readonly string[] = bundle.components.schemas.CustomerInfoFieldName.enum;

/** Likely values of fields or parameters by name. Picks stand for existing objects. */
const likely: Readonly<Record<string, readonly Json[]>> = {
  otp: [magic.otp],
  oidcToken: [magic.oidcToken, oidcToken()],
  signature: [magic.passkeySignature],
  'Service-Wallet-Signature': [magic.walletSignature],
  'Request-Id': [0, 1, 2].map((place) => pick('Request', place)),
  cursor: [0, 1, 2].map((place) => pick('cursor', place)),
  receiverUmaAddress: ['$success.usd@pay.example', '$success.eur@pay.example', pick('$', 0), pick('$', 1)],
  currencies: [['USD'], ['USD', 'EUR'], ['KES', 'USD', 'NGN']],
};
const likelyByPattern: Readonly<Record<string, readonly Json[]>> = {
  // The targets are in US dollars.
  '^[A-Z]{3,5}$': ['USD', 'USD', 'USD', ...currencies],
  '^[A-Z]{2}$': ['US', 'DE', 'JP'],
  '^\\$[A-Za-z0-9._+-]{1,63}@[A-Za-z0-9.-]{1,253}$': likely['receiverUmaAddress'] as Json[],
};
const idempotencyKeys = [1, 2, 3].map((number) => `0000000${number}-0000-4000-8000-00000000abcd`);

const payerInfo = fc.dictionary(fc.constantFrom(...infoNames), fc.string({ minLength: 1 }), { noNullPrototype: true });

/** Ends of account numbers that select an outcome (D30, D40). */
const suffixes = ['105', '002', '003', '777', '106'];

/** Seven times in ten a value that may exist or have a meaning, otherwise any value of the schema. */
const prefer: Preference = (schema, name, plain) => {
  if (name === 'accountNumber') return fc.tuple(plain, fc.constantFrom('', ...suffixes)).map(withSuffix);
  const choices = choicesOf(schema, name);
  if (choices === undefined) return plain;
  return fc.oneof({ withCrossShrink: true }, { weight: 7, arbitrary: choices }, { weight: 3, arbitrary: plain });
};

function withSuffix([number, suffix]: [Json, string]): Json {
  const text = String(number);
  return /^\d{6,}$/.test(text) ? text.slice(0, text.length - suffix.length) + suffix : text;
}

function choicesOf(schema: SchemaNode, name: string): fc.Arbitrary<Json> | undefined {
  const pattern = patternOf(schema);
  const types = /^\^(?:\(\?:)?([A-Z]\w+(?:\|\w+)*)\)?:\[0-9A-Za-z-\]/.exec(pattern)?.[1]?.split('|');
  if (types !== undefined) {
    return fc.tuple(fc.constantFrom(...types), fc.nat(9)).map(([type, place]) => pick(type, place));
  }
  if (name === 'senderCustomerInfo') return payerInfo;
  if (pattern.startsWith('^AGENT-')) return fc.nat(9).map((place) => pick('AGENT', place));
  if (name === 'Idempotency-Key') return fc.constantFrom(...idempotencyKeys);
  const values = likelyByPattern[pattern] ?? likely[name];
  return values === undefined ? undefined : fc.constantFrom(...values);
}

function patternOf(schema: SchemaNode): string {
  const { $ref, pattern } = schema;
  if ($ref === undefined) return pattern ?? '';
  return bundle.components.schemas[$ref.split('/').at(-1) as string]?.pattern ?? '';
}

/** Values that the contract accepts, with picks instead of ids. */
export const validValues = generator((schema, name, plain) => {
  if (name === '' && schema.type === 'string') return plain;
  return prefer(schema, name, plain);
});

/** A request, and what happens before and after it. */
export interface Case {
  /** What happens first: nothing, a new object of a kind, or an advance of the platform's clock by these seconds. */
  readonly before: string | number | null;
  readonly parts: RequestParts;
  /** Whether a challenge is followed by a signed retry, and a page by the next page. */
  readonly isFollowed: boolean;
  /** Whether everything is compared before and after, if the request must be refused. */
  readonly isWatched: boolean;
}

/** Bodies that the contract accepts for the operation: from the schema, and its own examples with existing ids. */
function validBodies(operation: Operation, schema: SchemaNode): fc.Arbitrary<Json> {
  const made = fc
    .tuple(validValues(schema), fc.boolean())
    .map(([body, isFitting]) => (isFitting ? fitted(body) : body));
  const examples = fc
    .tuple(fc.constantFrom(...requestExamples(operation)), fc.nat(9))
    .map(([example, place]) => withPicks(example, place));
  return fc.oneof({ weight: 3, arbitrary: made }, examples);
}

interface Side {
  readonly accountId?: string;
  readonly umaAddress?: string;
}

/**
 * Adds combinations that are rare by chance: the currency of an account's type, the lookup of a receiver, two accounts
 * of one customer.
 */
function fitted(body: Json): Json {
  const { accountInfo, source, destination, amount } = (body ?? {}) as {
    accountInfo?: { accountType: string };
    source?: Side;
    destination?: Side;
    amount?: number;
  };
  const fit = { ...(body as object) };
  const [currency] = (accountInfo && accountTypes[accountInfo.accountType]?.currencies) ?? [];
  if (currency !== undefined) Object.assign(fit, { currency: currency === '*' ? 'USD' : currency });
  if (destination?.umaAddress !== undefined) {
    const to = { ...destination, umaAddress: '$success.usd@pay.example' };
    Object.assign(fit, { destination: to, lookupId: pick('Lookup', 0) });
  }
  if (source?.accountId !== undefined && destination?.accountId !== undefined && amount !== undefined) {
    Object.assign(fit, {
      source: dollarSide(source),
      destination: dollarSide(destination),
      amount: 1 + (amount % 1000),
    });
  }
  return fit as Json;
}

/** The first US dollar accounts of a stage: the customer's own, with money, and its bank account. */
function dollarSide({ accountId = '' }: Side): Side {
  const isInternal = accountId.startsWith('InternalAccount:');
  return { accountId: isInternal ? pick('InternalAccount', 2) : pick('ExternalAccount', 0) };
}

function withPicks(example: Json, place: number): Json {
  const ids = /^([A-Z]\w+):[0-9A-Za-z-]{1,64}$/;
  return JSON.parse(JSON.stringify(example), (_key, value) => {
    const type = typeof value === 'string' ? ids.exec(value)?.[1] : undefined;
    return type === undefined ? value : pick(type, place);
  });
}

/** A parameter's value as text, or several texts if it may be repeated. */
function textsOf({ name, in: place, schema }: ParameterNode): fc.Arbitrary<string[]> {
  if (place === 'header' && schema.pattern === undefined) return headerTexts(validValues(schema, name));
  return validValues(schema, name).map((value) => [value].flat().map(String));
}

/** Texts for a header: visible ASCII, with spaces only inside. */
function headerTexts(values: fc.Arbitrary<Json>): fc.Arbitrary<string[]> {
  return values.map((value) => [String(value).replaceAll(/[^\x20-\x7e]/gu, '~')]);
}

type Chosen = Readonly<Record<string, readonly string[]>>;

/** An optional parameter is present in one request of four. A cursor is rarer, because few are valid. */
function chosen(parameters: readonly ParameterNode[]): fc.Arbitrary<Chosen> {
  const fields = parameters.map((parameter) => {
    const texts = textsOf(parameter);
    const absent = { weight: parameter.name === 'cursor' ? 15 : 3, arbitrary: fc.constant([]) };
    return parameter.required === true ? texts : fc.oneof({ withCrossShrink: true }, absent, texts);
  });
  return fc.tuple(...fields).map((all) => {
    const named = all.map((texts, index) => [parameters[index]?.name ?? '', texts] as const);
    return Object.fromEntries(named.filter(([, texts]) => texts.length > 0));
  });
}

/** Requests that the contract accepts. */
export function validRequests(operation: Operation): fc.Arbitrary<RequestParts> {
  const parameters = parametersOf(operation);
  const inPlace = (place: ParameterNode['in']) => chosen(parameters.filter((one) => one.in === place));
  const schema = bodySchemaOf(operation);
  const body = schema === undefined ? fc.constant(undefined) : validBodies(operation, schema);
  return fc
    .record({
      path: inPlace('path').filter(isRoutable),
      query: inPlace('query'),
      headers: inPlace('header'),
      body: operation.body === 'optional' ? fc.option(body, { nil: undefined, freq: 3 }) : body,
    })
    .map(({ path, query, headers, ...rest }) => ({
      path: joined(path),
      query: Object.entries(query).flatMap(([name, texts]) => texts.map((text) => [name, text] as const)),
      headers: joined(headers),
      ...rest,
    }));
}

/** A URL can't have an empty segment or one of dots only. */
function isRoutable(path: Chosen): boolean {
  return Object.values(path).every(([text = '']) => text !== '' && !/^\.\.?$/.test(text));
}

function joined(texts: Chosen): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, [text = '']]) => [name, text]));
}

/** Requests with one change, which the contract rarely accepts; the oracle decides. */
export function brokenRequests(operation: Operation): fc.Arbitrary<RequestParts> {
  const valid = validRequests(operation);
  const kinds = [brokenQueries(operation, valid)];
  if (bodySchemaOf(operation) !== undefined)
    kinds.push(...brokenBodies(operation, valid), ...brokenBodies(operation, valid));
  if (operation.path.includes('{')) kinds.push(brokenPaths(operation, valid));
  if (operation.idempotent) {
    const keys = fc.constantFrom('', 'x', `${idempotencyKeys[0]}0`, '{}', '00000001-0000-4000-8000-00000000abcg');
    kinds.push(
      fc
        .tuple(valid, keys)
        .map(([request, key]) => ({ ...request, headers: { ...request.headers, 'Idempotency-Key': key } })),
    );
  }
  return fc.oneof(...kinds);
}

function brokenBodies(operation: Operation, valid: fc.Arbitrary<RequestParts>): fc.Arbitrary<RequestParts>[] {
  const schema = bodySchemaOf(operation) as SchemaNode;
  const bodies = validBodies(operation, schema);
  const inOnePlace = fc.tuple(bodies, fc.nat()).map(([body, at]) => {
    const ways = brokenValues(schema, body);
    return ways[at % ways.length]?.value;
  });
  const withBody = (broken: fc.Arbitrary<Json | undefined>) =>
    fc.tuple(valid, broken).map(([request, body]) => ({ ...request, body }));
  const odd = fc.tuple(bodies, oddValues, fc.nat()).map(([body, value, at]) => {
    const ways = withEverywhere(body, value);
    return ways[at % ways.length]?.body;
  });
  return [withBody(inOnePlace), withBody(mutated(bodies)), withBody(odd)];
}

const strangeTexts = fc.oneof(
  fc.constantFrom('', ' ', '-1', '+1', '1.0', '1e3', '007', '0x10', 'null', 'TRUE', '2025-02-30T00:00:00Z', "' or 1=1"),
  fc.constantFrom('9007199254740993', '2025-10-13 09:00:00Z', '2025-10-13T09:00:60Z', '2025-10-13T09:00:00+0000'),
  fc.constantFrom(...unkeptNumbers, ...keptNumbers, ...brokenTexts),
  fc.string({ unit: 'binary' }),
);

/** A parameter with a strange text, twice, missing, or unknown. */
function brokenQueries(operation: Operation, valid: fc.Arbitrary<RequestParts>): fc.Arbitrary<RequestParts> {
  const names = parametersOf(operation).flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
  const named = fc.constantFrom('surprise', '__proto__', 'limit', ...names);
  return fc
    .record({ request: valid, name: named, text: strangeTexts, what: fc.constantFrom('set', 'add', 'drop') })
    .map(({ request, name, text, what }) => {
      const others = request.query.filter(([one]) => what === 'add' || one !== name);
      return { ...request, query: what === 'drop' ? others : [...others, [name, text] as const] };
    });
}

function brokenPaths(operation: Operation, valid: fc.Arbitrary<RequestParts>): fc.Arbitrary<RequestParts> {
  const names = parametersOf(operation).flatMap(({ name, in: place }) => (place === 'path' ? [name] : []));
  // A plain word may be another operation's path.
  const texts = strangeTexts.map((text) => `!${text}`);
  return fc
    .tuple(valid, fc.constantFrom(...names), texts)
    .map(([request, name, text]) => ({ ...request, path: { ...request.path, [name]: text } }));
}

/** Cases of an operation; six in ten are valid. */
export function cases(operation: Operation, kinds: readonly string[]): fc.Arbitrary<Case> {
  const parts = fc.oneof(
    { weight: 6, arbitrary: validRequests(operation) },
    { weight: 4, arbitrary: brokenRequests(operation) },
  );
  const seldom = fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: fc.constantFrom(...kinds) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 900 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000_000 }) },
  );
  const few = (every: number) => fc.nat(every - 1).map((number) => number === every - 1);
  return fc.record({
    before: fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: fc.constant(null) }, seldom),
    parts,
    isFollowed: fc.boolean(),
    isWatched: few(15),
  });
}
