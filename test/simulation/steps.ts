/** The steps of the simulation. They depend only on a seed, so that a step can be removed from a failing run. */
import { type Random, randomFrom } from '../support/requests/random.ts';
import { type AgentPast, type AgentStep, chooseAgentStep, noteAgentStep } from './agentSteps.ts';
import {
  accounts,
  chooseAmount,
  customers,
  type Destination,
  externals,
  ownReceiver,
  receivers,
  type Source,
} from './cast.ts';

const day = 24 * 3600;

interface Transfer {
  readonly account: number;
  readonly external: number;
  readonly amount: number;
}

/** A step. A quote is identified by the number of the step that made it. */
export type Step = { readonly number: number } & (
  | { readonly kind: 'FUND'; readonly account: number; readonly amount: number }
  | {
      readonly kind: 'QUOTE';
      readonly source: Source;
      readonly destination: Destination;
      readonly side: 'SENDING' | 'RECEIVING';
      readonly amount: number;
      readonly atOnce: boolean;
      readonly isToldAll: boolean;
      readonly hasLookup: boolean;
    }
  | { readonly kind: 'EXECUTE'; readonly quote: number; readonly signature: 'GOOD' | 'WRONG' | 'NONE' }
  | {
      readonly kind: 'PAY_IN';
      readonly quote: number;
      readonly currency: 'RIGHT' | 'WRONG';
      readonly extra: number | null;
    }
  | ({ readonly kind: 'TRANSFER_IN' } & Transfer)
  | ({ readonly kind: 'TRANSFER_OUT' } & Transfer)
  | {
      readonly kind: 'UMA_IN';
      readonly sender: string;
      readonly receiver: number;
      readonly isByAddress: boolean;
      readonly currency: string;
      readonly amount: number;
    }
  | { readonly kind: 'WAIT'; readonly seconds: number }
  | { readonly kind: 'REMOVE' | 'ADD'; readonly external: number }
  | { readonly kind: 'CURRENCIES'; readonly customer: number; readonly currencies: readonly string[] }
  | { readonly kind: 'DELETE'; readonly customer: number }
  | AgentStep
);

type Plain<S> = S extends unknown ? Omit<S, 'number'> : never;

/** The earlier steps that influence the choice. Most steps should be possible, and some should not. */
interface Past extends AgentPast {
  /** The latest quotes that may be executed. */
  quotes: { readonly number: number; readonly isOutside: boolean }[];
  removed: number[];
  /** The time of day on the clock, which starts at nine. */
  secondOfDay: number;
}

/** The steps of a run. */
export function chooseSteps(seed: number, count: number): Step[] {
  const random = randomFrom(seed);
  const past: Past = {
    quotes: [],
    removed: [],
    secondOfDay: 9 * 3600,
    agents: [],
    ended: [],
    agentQuotes: [],
    actions: [],
  };
  return Array.from({ length: count }, (_, number) => {
    const step = chooseStep(random, past);
    if (step.kind === 'QUOTE' && !step.atOnce) past.quotes.push({ number, isOutside: step.source.at === 'OUTSIDE' });
    if (step.kind === 'AGENT_QUOTE') {
      // Sometimes the platform executes it, before the agent does or while the agent's action waits.
      const isOutside = step.source.at === 'OUTSIDE';
      if (isOutside || random.chance(0.3)) past.quotes.push({ number, isOutside });
    }
    if (past.quotes.length > 6) past.quotes.shift();
    noteAgentStep(random, past, number, step);
    if (step.kind === 'WAIT') past.secondOfDay = (past.secondOfDay + step.seconds) % day;
    if (step.kind === 'REMOVE') past.removed.push(step.external);
    if (step.kind === 'ADD') past.removed = past.removed.filter((index) => index !== step.external);
    // Sometimes the quote stays in the list, so that it is executed again.
    if ('quote' in step && step.kind !== 'AGENT_EXECUTE' && random.chance(0.8))
      past.quotes = past.quotes.filter((one) => one.number !== step.quote);
    return { number, ...step } as Step;
  });
}

function chooseStep(random: Random, past: Past): Plain<Step> {
  if (random.chance(0.5)) return chooseAgentStep(random, past);
  const kind = random.below(100);
  if (kind < 16) {
    const amount = random.chance(0.4) ? 100_000_000_000 : chooseAmount(random);
    return { kind: 'FUND', account: random.below(accounts.length), amount };
  }
  if (kind < 40) return chooseQuote(random);
  if (kind < 58) {
    const signature = random.pick(['GOOD', 'GOOD', 'GOOD', 'GOOD', 'WRONG', 'NONE'] as const);
    return { kind: 'EXECUTE', quote: chooseQuoteOf(random, past, false), signature };
  }
  if (kind < 67) {
    const extra = random.pick([null, null, null, 0, 0, 0, 1]);
    const currency = random.chance(0.9) ? 'RIGHT' : 'WRONG';
    return { kind: 'PAY_IN', quote: chooseQuoteOf(random, past, true), currency, extra };
  }
  if (kind < 81) return chooseTransfer(random);
  if (kind < 85) return chooseUmaPayment(random);
  if (kind < 92) {
    // Sometimes until shortly before midnight, so that an action ends on another day than it started.
    const untilMidnight = day - past.secondOfDay;
    const late = untilMidnight > 10 ? untilMidnight - 10 : untilMidnight;
    const isLong = random.chance(0.25);
    const seconds = isLong ? [3600, late, late, late, day, 10 * day] : [1, 1, 1, 28, 29, 29, 30, 31, 60, 60, 299, 300];
    return { kind: 'WAIT', seconds: random.pick(seconds) };
  }
  // The last one, the deposit account, stays.
  if (kind < 94) return { kind: 'REMOVE', external: random.below(externals.length - 1) };
  if (kind < 97) {
    const isAgain = past.removed.length > 0 && random.chance(0.9);
    return { kind: 'ADD', external: isAgain ? random.pick(past.removed) : random.below(externals.length - 1) };
  }
  const customer = random.below(customers.length);
  // A deleted customer never returns. So only the last customer may be deleted, and the others stay for the run.
  if (kind === 99 && random.chance(0.4)) return { kind: 'DELETE', customer: customers.length - 1 };
  const able = [...(customers[customer]?.currencies ?? []), 'MXN'];
  return { kind: 'CURRENCIES', customer, currencies: able.filter(() => random.chance(0.75)) };
}

function chooseTransfer(random: Random): Plain<Extract<Step, { kind: 'TRANSFER_IN' | 'TRANSFER_OUT' }>> {
  let [account, external] = [random.below(accounts.length), random.below(externals.length)];
  if (random.chance(0.85)) {
    const { owner, currency } = random.pick(externals);
    const isFitting = (one: { readonly owner: number | null; readonly currency: string }): boolean =>
      one.currency === currency && one.owner === owner;
    const pair = [accounts, externals].map((list) => list.flatMap((one, index) => (isFitting(one) ? [index] : [])));
    [account = account, external = external] = pair.map((indices) =>
      indices.length > 0 ? random.pick(indices) : undefined,
    );
  }
  const transfer = { account, external, amount: chooseAmount(random) };
  return random.chance(0.5) ? { kind: 'TRANSFER_IN', ...transfer } : { kind: 'TRANSFER_OUT', ...transfer };
}

function chooseUmaPayment(random: Random): Plain<Extract<Step, { kind: 'UMA_IN' }>> {
  const sender = random.pick([...receivers, ...customers, { uma: '$nobody@out.example' }]).uma;
  const receiver = random.below(customers.length);
  const currency = random.pick([...(customers[receiver]?.currencies ?? []), 'MXN']);
  return { kind: 'UMA_IN', sender, receiver, isByAddress: random.chance(0.5), currency, amount: chooseAmount(random) };
}

function chooseQuote(random: Random): Plain<Extract<Step, { kind: 'QUOTE' }>> {
  const internal = () => ({ at: 'INTERNAL' as const, index: random.below(accounts.length) });
  const outside = () => ({ at: 'EXTERNAL' as const, index: random.below(externals.length) });
  const from = random.below(10);
  const source: Source =
    from < 5
      ? internal()
      : from < 7
        ? outside()
        : {
            at: 'OUTSIDE',
            owner: random.pick([null, 0, 1, 2, 3]),
            currency: random.pick(['USD', 'EUR', 'JPY', 'USDC']),
          };
  const to = random.below(10);
  const own = random.below(customers.length);
  const destination: Destination =
    to < 3
      ? internal()
      : to < 7
        ? outside()
        : { at: 'UMA', ...(random.chance(0.5) ? random.pick(receivers) : ownReceiver(random, own)) };
  return {
    kind: 'QUOTE',
    source,
    destination,
    side: random.chance(0.5) ? 'SENDING' : 'RECEIVING',
    amount: chooseAmount(random),
    atOnce: source.at !== 'OUTSIDE' && random.chance(0.3),
    isToldAll: random.chance(0.95),
    hasLookup: random.chance(0.95),
  };
}

/** Mostly a quote of the kind that can be executed in this way. */
function chooseQuoteOf(random: Random, { quotes }: Past, isOutside: boolean): number {
  const fitting = quotes.filter((one) => one.isOutside === isOutside);
  const [first] = quotes;
  if (first === undefined) return 0;
  return random.pick(fitting.length > 0 && random.chance(0.9) ? fitting : quotes).number;
}
