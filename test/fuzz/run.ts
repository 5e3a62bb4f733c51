/**
 * Runs cases of an operation against a sandbox, compares them with the contract, and reduces the first one that breaks
 * it.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Operation } from '../../generated/operations.ts';
import type { Answer } from '../support/sandbox/harness.ts';
import { magic } from '../support/scenes/builders.ts';
import { requestRules } from './kit.ts';
import { notUtf8, type RequestParts, replyFaults, requestFaults } from './oracle.ts';
import { type Case, cases } from './requests.ts';
import { kinds, openStage, type Plant, type Sent, type Stage } from './stage.ts';
import { ruleOf, type WordRule } from './words.ts';

/** How many cases share a sandbox: enough for its state to grow, few enough to be reduced quickly. */
export const batchSize = 100;

export interface Plan {
  readonly seed: number;
  /** Rounded up to whole batches. If it is less than one batch, the size of the only batch. */
  readonly cases: number;
  /** The path of a failure, as it was printed: only that case is run. */
  readonly path?: string;
  readonly plant?: Plant;
  /** Whether to reduce a failure, which takes many runs. */
  readonly isShrunk?: boolean;
}

export interface Report {
  readonly cases: number;
  /** How many of them the contract accepts. */
  readonly valid: number;
  /** How many times each status was the answer. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly rules: ReadonlySet<WordRule>;
  readonly failure?: Failure;
}

export interface Failure {
  /** Cases of a batch before it was reduced. */
  readonly size: number;
  readonly path: string;
  /** The smallest failing batch. */
  readonly batch: { readonly proofs: string; readonly cases: readonly Case[] };
  readonly message: string;
}

interface Tally {
  cases: number;
  valid: number;
  readonly statuses: Record<number, number>;
  readonly rules: Set<WordRule>;
}

/** Runs the cases. The same plan always gives the same run. */
export async function fuzz(
  operation: Operation,
  { seed, cases: wanted, path, plant = {}, isShrunk = true }: Plan,
): Promise<Report> {
  const size = Math.min(batchSize, wanted);
  const tally: Tally = { cases: 0, valid: 0, statuses: {}, rules: new Set() };
  const batches = fc.record({
    proofs: fc.constantFrom<'magic' | 'real'>('magic', 'magic', 'magic', 'real'),
    cases: new Batches(cases(operation, kinds), size),
  });
  const property = fc.asyncProperty(batches, async ({ proofs, cases: batch }) => {
    const stage = await openStage(proofs, plant);
    try {
      for (const one of batch) await runCase(stage, operation, one, tally);
    } finally {
      await stage.close();
    }
  });
  const replay = path === undefined ? {} : { path };
  const numRuns = Math.ceil(wanted / size);
  const details = await fc.check(property, { seed, numRuns, endOnFailure: !isShrunk, ...replay });
  if (!details.failed) return tally;
  const failure = {
    size,
    path: details.counterexamplePath ?? '',
    batch: details.counterexample?.[0] ?? { proofs: 'magic', cases: [] },
    message: String((details.errorInstance as Error | undefined)?.message ?? details.errorInstance),
  };
  return { ...tally, failure };
}

type Item = fc.Value<Case>;

/**
 * Batches of one size. Every attempt to reduce one needs a sandbox. So the first attempts remove much: they try the
 * last case alone, then shorter and shorter beginnings. Only then are the cases themselves reduced, the last one first.
 */
class Batches extends fc.Arbitrary<Case[]> {
  readonly #one: fc.Arbitrary<Case>;
  readonly #size: number;

  constructor(one: fc.Arbitrary<Case>, size: number) {
    super();
    this.#one = one;
    this.#size = size;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Case[]> {
    return batchOf(Array.from({ length: this.#size }, () => this.#one.generate(random, bias)));
  }

  override canShrinkWithoutContext(_value: unknown): _value is Case[] {
    return false;
  }

  override shrink(_value: Case[], context: unknown): fc.Stream<fc.Value<Case[]>> {
    return new fc.Stream(this.#smaller(context as Item[]));
  }

  *#smaller(items: readonly Item[]): IterableIterator<fc.Value<Case[]>> {
    const { length } = items;
    if (length > 1) yield batchOf(items.slice(-1));
    for (let cut = length >> 1; cut > 0; cut >>= 1) yield batchOf(items.slice(0, length - cut));
    for (let cut = length >> 1; cut > 0; cut >>= 1) yield batchOf(items.slice(cut));
    for (let index = length - 1; index >= 0; index -= 1) {
      const item = items[index] as Item;
      for (const smaller of this.#one.shrink(item.value_, item.context)) yield batchOf(items.with(index, smaller));
    }
  }
}

function batchOf(items: readonly Item[]): fc.Value<Case[]> {
  return new fc.Value(
    items.map(({ value_ }) => value_),
    items,
  );
}

async function runCase(stage: Stage, operation: Operation, one: Case, tally: Tally): Promise<void> {
  if (one.before !== null) await stage.prepare(one.before);
  const parts = stage.pool.settle(one.parts);
  const faults = requestFaults(operation, parts);
  tally.cases += 1;
  if (faults.length === 0) tally.valid += 1;
  const before = one.isWatched && faults.length > 0 ? await stage.look() : undefined;
  const sent = await stage.send(operation, parts);
  const { answer } = sent;
  judge(operation, parts, faults, answer, tally);
  compareWithKit(operation, parts, faults, sent);
  if (before !== undefined && !isDeepStrictEqual(await stage.look(), before)) {
    throw new Error(describe('a refused request changed something', operation, parts, answer));
  }
  const next = one.isFollowed ? following(parts, answer) : undefined;
  if (next !== undefined) judge(operation, next, faults, (await stage.send(operation, next)).answer, tally);
}

/** A client's next request: the signed retry of a challenge, the next page of a list. */
function following(parts: RequestParts, { status, body }: Answer): RequestParts | undefined {
  if (status === 202 && body?.requestId !== undefined) {
    const signature = { 'Service-Wallet-Signature': magic.walletSignature, 'Request-Id': body.requestId };
    return { ...parts, headers: { ...parts.headers, ...signature } };
  }
  if (body?.nextCursor === undefined) return undefined;
  const others = parts.query.filter(([name]) => name !== 'cursor');
  return { ...parts, query: [...others, ['cursor', body.nextCursor]] };
}

/** @throws Error for an answer that the contract doesn't allow for this request. */
function judge(
  operation: Operation,
  parts: RequestParts,
  requestFaultsFound: readonly string[],
  answer: Answer,
  tally: Tally,
): void {
  tally.statuses[answer.status] = (tally.statuses[answer.status] ?? 0) + 1;
  const fail = (what: string): never => {
    throw new Error(describe(what, operation, parts, answer));
  };
  const [broken] = replyFaults(operation, answer);
  if (broken !== undefined) fail(`the answer breaks the contract: ${broken}`);
  if (requestFaultsFound.length > 0) {
    // An address that can't be decoded is refused before the object is looked up.
    const isUnread = requestFaultsFound.some((fault) => fault.endsWith(notUtf8));
    const isOfPath = !isUnread && requestFaultsFound.some((fault) => fault.startsWith('path '));
    // The caller is checked before the request: 401, or 404 if the path contains the secret (D34).
    const allowed = [isOfPath ? 404 : 400, operation.security === 'none' ? 404 : 401];
    if (!allowed.includes(answer.status)) fail(`not refused as it must be: ${requestFaultsFound[0]}`);
    return;
  }
  if ([405, 406, 413, 415].includes(answer.status) || answer.body?.code === 'NOT_FOUND') {
    fail('refused by the transport, though it is valid');
  }
  if (answer.status !== 400) return;
  for (const field of answer.body.details?.errors ?? [undefined]) {
    const rule = ruleOf(operation.id, answer.body.code, field);
    if (rule === undefined) fail(`valid, and refused by no rule in words: ${JSON.stringify(field)}`);
    else tally.rules.add(rule);
  }
}

/**
 * Checks that kit and sandbox read a request in the same way: the sandbox refuses exactly what the kit finds.
 *
 * @throws Error if the kit has a finding for a request that the contract accepts, or none for one that it refuses.
 */
function compareWithKit(operation: Operation, parts: RequestParts, faults: readonly string[], sent: Sent): void {
  const rules = requestRules(operation, sent);
  if (rules.length > 0 === faults.length > 0) return;
  const what = faults.length > 0 ? `the kit has no finding: ${faults[0]}` : `valid, and a finding: ${rules[0]}`;
  throw new Error(describe(what, operation, parts, sent.answer));
}

function describe(what: string, { method, path }: Operation, parts: RequestParts, { status, body }: Answer): string {
  return `${what}\n  ${method} ${path} ${JSON.stringify(parts)}\n  ${status} ${JSON.stringify(body)}`;
}

/** The failure, and the command that repeats it. */
export function describeFailure({ id }: Operation, seed: number, { size, path, batch, message }: Failure): string {
  const cases = batch.cases.map((one, index) => `  ${index + 1}. ${JSON.stringify(one)}`);
  const again = `npm run fuzz -- --operation ${id} --seed ${seed} --path ${path}${size === batchSize ? '' : ` --cases ${size}`}`;
  return [message, `after these, with ${batch.proofs} proofs:`, ...cases, `again: ${again}`].join('\n');
}
