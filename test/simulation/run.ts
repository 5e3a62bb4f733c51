/**
 * Runs steps against the sandbox and the model side by side. After a difference, it finds a short run that still has
 * it.
 */

import type { Handlers } from '../../mocks/sandbox/domains/operation.ts';
import { compareAction, compareAgents, compareWaiting, type Executed, noteActions } from './compareAgents.ts';
import type { Expected, Transaction } from './facts.ts';
import { Model } from './model.ts';
import { chooseSteps, type Step } from './steps.ts';
import { openWorld, type SharedSandbox, type World } from './world.ts';

export interface Difference {
  readonly step: Step;
  /** The difference from the model. */
  readonly what: string;
}

export interface Report {
  readonly seed: number;
  readonly difference: Difference | undefined;
  /** The steps up to the difference, without those that aren't needed for it. */
  readonly trace: readonly Step[];
  /** How many times a kind of step got a status. */
  readonly answers: ReadonlyMap<string, number>;
}

export interface Plan {
  readonly seed: number;
  readonly steps: number;
  /** The number of steps between two checks of the whole ledger. */
  readonly ledgerEvery: number;
  /** How long a failing run may be shortened, in milliseconds. */
  readonly shrinkMs?: number;
  /** Handlers with a planted fault, instead of the sandbox's own. */
  readonly handlers?: Handlers;
  /** A sandbox that others use at the same time; a new one if absent. */
  readonly shared?: SharedSandbox;
}

/** Runs a plan, and shortens a failing run. */
export async function simulate(plan: Plan): Promise<Report> {
  const { seed, steps, shrinkMs = 60_000 } = plan;
  const chosen = chooseSteps(seed, steps);
  const answers = new Map<string, number>();
  const difference = await compare(plan, chosen, answers);
  if (difference === undefined) return { seed, difference, trace: [], answers };
  const trace = await shorten(plan, chosen.slice(0, chosen.indexOf(difference.step) + 1), Date.now() + shrinkMs);
  return { seed, difference: (await compare(plan, trace)) ?? difference, trace, answers };
}

/** Removes steps, larger parts first, as long as there is still a difference. */
async function shorten(plan: Plan, failing: readonly Step[], until: number): Promise<readonly Step[]> {
  const few = ledUpTo(failing);
  let steps = (await compare(plan, few)) === undefined ? failing : few;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length; ) {
      if (Date.now() > until) return steps;
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      const difference = await compare(plan, fewer);
      if (difference === undefined) from += size;
      else steps = fewer.slice(0, fewer.indexOf(difference.step) + 1);
    }
  }
  return steps;
}

/** The last step, and the steps that made the agent, quote or action that it refers to. */
function ledUpTo(steps: readonly Step[]): readonly Step[] {
  const last = steps.slice(-1);
  const wanted = new Set(last);
  for (const step of wanted) {
    const numbers = Object.entries(step).flatMap(([name, of]) =>
      ['agent', 'quote', 'action'].includes(name) ? of : [],
    );
    for (const earlier of steps) if (numbers.includes(earlier.number)) wanted.add(earlier);
  }
  return steps.filter((step) => wanted.has(step));
}

async function compare(
  { ledgerEvery, handlers, shared }: Plan,
  steps: readonly Step[],
  answers = new Map<string, number>(),
): Promise<Difference | undefined> {
  const world = await openWorld(handlers, shared);
  try {
    const model = new Model(world.startedAt, world.rates);
    const ids = new Map<Transaction, string>();
    const executed: Executed = new Map();
    for (const [index, step] of steps.entries()) {
      const isCheckpoint = (index + 1) % ledgerEvery === 0 || index === steps.length - 1;
      // A fault outside the step itself is a difference too, such as a sandbox that stops answering.
      const what = await compareStep(world, model, step, { ids, executed, isCheckpoint, answers }).catch(String);
      if (what !== undefined) return { step, what };
    }
    return undefined;
  } finally {
    await world.close();
  }
}

interface Notes {
  /** The sandbox's ids of the model's transactions. */
  readonly ids: Map<Transaction, string>;
  readonly executed: Executed;
  readonly isCheckpoint: boolean;
  readonly answers: Map<string, number>;
}

async function compareStep(world: World, model: Model, step: Step, notes: Notes): Promise<string | undefined> {
  const reply = await world.take(step);
  if (reply === undefined) return undefined;
  const before = new Map(model.transactions.map((one) => [one, one.updatedAt + one.status]));
  const beforeActions = noteActions(model);
  const expected = model.take(step);
  const key = [step.kind, reply.status, whatOf(reply.body, 'action' in expected)].join(' ').trim();
  notes.answers.set(key, (notes.answers.get(key) ?? 0) + 1);

  const answer = compareAnswer(expected, reply, model);
  if (answer !== undefined) return answer;
  const transaction = transactionOf(expected, model);
  if (transaction !== undefined) {
    const inAction = 'action' in expected ? reply.body.transaction.id : reply.body.id;
    notes.ids.set(transaction, 'quote' in expected ? reply.body.transactionId : inAction);
  }
  for (const [one, id] of notes.ids) {
    if (one !== transaction && before.get(one) === one.updatedAt + one.status) continue;
    const { body } = await world.get(`/transactions/${id}`);
    const difference = compareTransaction(one, body);
    if (difference !== undefined) return difference;
  }
  const balances = await world.balances();
  const wrong = model.accounts.findIndex(
    ({ isKnown, balance }, index) => balances[index] !== (isKnown ? balance : undefined),
  );
  if (wrong >= 0) return `account ${wrong} holds ${balances[wrong]}, expected ${model.accounts[wrong]?.balance}`;
  const action = 'action' in expected ? expected.action : undefined;
  const agents = await compareAgents(world, model, beforeActions, action, notes.executed);
  if (agents !== undefined) return agents;
  return notes.isCheckpoint ? ((await compareWaiting(world, model)) ?? compareWhole(world, model)) : undefined;
}

function compareAnswer(
  expected: Expected,
  { status, body }: { status: number; body: Record<string, unknown> },
  model: Model,
) {
  const said = `answered with ${status} ${JSON.stringify(body)}`;
  if ('refusals' in expected) {
    const refusal = `${status} ${refusalOf(body)}`;
    return expected.refusals.includes(refusal) ? undefined : `${said}, expected ${expected.refusals.join(' or ')}`;
  }
  if (status !== expected.status) return `${said}, expected ${expected.status}`;
  if (expected.action !== undefined) {
    const difference = compareAction(model, expected.action, body);
    return difference === undefined ? undefined : `${said}, where ${difference}`;
  }
  const quote = expected.quote === undefined ? undefined : model.quotes.get(expected.quote);
  if (quote === undefined) return undefined;
  const figures = [quote.status, quote.sending, quote.fee, quote.receiving];
  const found = [body['status'], body['totalSendingAmount'], body['feesIncluded'], body['totalReceivingAmount']];
  return same(figures, found) ? undefined : `${said}, expected ${figures.join(', ')}`;
}

function transactionOf(expected: Expected, model: Model): Transaction | undefined {
  if ('refusals' in expected) return undefined;
  if (expected.action !== undefined) return expected.action.transaction;
  return expected.quote === undefined ? expected.transaction : model.quotes.get(expected.quote)?.transaction;
}

// biome-ignore lint/suspicious/noExplicitAny: a raw reply
function compareTransaction(one: Transaction, body: any): string | undefined {
  const at = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
  const refund = body.refund === undefined ? undefined : `${body.refund.status} ${body.refund.reason}`;
  const amounts = [body.sentAmount?.amount, body.receivedAmount?.amount];
  const found = [body.type, body.status, body.failureReason, refund, body.settledAt, body.updatedAt, ...amounts];
  const { type, status, failureReason } = one;
  const expected = [
    type,
    status,
    failureReason,
    one.refund,
    at(one.settledAt),
    at(one.updatedAt),
    one.sent,
    one.received,
  ];
  return same(expected, found)
    ? undefined
    : `the transaction is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
}

/** Compares the whole ledger, the service's own money, every quote, and the number of transactions. */
async function compareWhole(world: World, model: Model): Promise<string | undefined> {
  const { sound, faults, places } = await world.ledger();
  if (!sound) return `the ledger is not sound: ${faults.join('; ')}`;
  const held = Object.keys(places).filter((name) => /^(?:Held|Fees|Kept):/.test(name));
  for (const name of new Set([...held, ...model.pots.keys()])) {
    const expected = Number(model.pots.get(name) ?? 0n);
    if ((places[name] ?? 0) !== expected) return `${name} is ${places[name] ?? 0}, expected ${expected}`;
  }
  for (const type of ['INCOMING', 'OUTGOING']) {
    const { body } = await world.get(`/transactions?type=${type}&limit=1`);
    const expected = model.transactions.filter((one) => one.type === type).length;
    if (body.totalCount !== expected) return `${body.totalCount} ${type} transactions, expected ${expected}`;
  }
  for (const [step, { status }] of [...model.quotes].slice(-20)) {
    const { body } = await world.get(`/quotes/${world.quoteId(step)}`);
    if (body.status !== status) return `the quote of step ${step} is ${body.status}, expected ${status}`;
  }
  return undefined;
}

/** The label under which an answer is counted: a refusal's code and reason, or an action's status. */
// biome-ignore lint/suspicious/noExplicitAny: a raw reply
function whatOf(body: any, isAction: boolean): string {
  return isAction ? body.status : refusalOf(body);
}

/** A refusal's code, and the reason that the policy or the state of an agent gives for it. */
// biome-ignore lint/suspicious/noExplicitAny: a raw reply
function refusalOf(body: any): string {
  const hasReason = ['POLICY_VIOLATION', 'CONFLICT'].includes(body?.code) && body.reason !== undefined;
  return hasReason ? `${body.code} ${body.reason}` : (body?.code ?? '');
}

function same(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** The report of a run for people. */
export function describeReport({ seed, difference, trace, answers }: Report): string {
  const told = [...answers].sort().map(([answer, count]) => `  ${answer} × ${count}`);
  if (difference === undefined) return `seed ${seed}: sandbox and model agree\n${told.join('\n')}`;
  const steps = trace.map((step) => `  ${JSON.stringify(step)}`);
  return `seed ${seed}: at step ${difference.step.number}, ${difference.what}\nThe shortest run found:\n${steps.join('\n')}`;
}
