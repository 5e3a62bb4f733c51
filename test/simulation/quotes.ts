/** Quotes in the model: their amounts and their execution. */
import { priceOf } from '../support/expect/exactMoney.ts';
import { customers, externals, receivers, type Source } from './cast.ts';
import {
  currencyOf,
  draft,
  type Expected,
  greatest,
  isAmount,
  isSameAccount,
  type Level,
  money,
  notPending,
  type Place,
  type Quote,
  Refused,
  refuseFirst,
} from './facts.ts';
import type { Step } from './steps.ts';
import { Transfers } from './transfers.ts';

type Wanted = Pick<
  Extract<Step, { kind: 'QUOTE' }>,
  'source' | 'destination' | 'side' | 'amount' | 'isToldAll' | 'hasLookup'
> & { readonly atOnce?: boolean };

export class Quotes extends Transfers {
  protected quote(step: Extract<Step, { kind: 'QUOTE' }>): Expected {
    const quote = this.plan(step, this.ownerOf(step.source));
    if (step.atOnce && this.isPossible(quote)) this.refuseWithoutMoney(quote);
    this.open(step.number, quote);
    if (step.atOnce) this.carryOut(quote);
    return { status: 201, quote: step.number };
  }

  /** @param agent additional refusals of an agent's quote: missing objects, and the checks after that (D32). */
  protected plan(
    step: Wanted,
    payer: number | null,
    agent?: { readonly missing: Level; readonly next: Level[] },
  ): Quote {
    const { source, destination, side, amount, atOnce = false, isToldAll, hasLookup } = step;
    const isUma = destination.at === 'UMA';
    const own = isUma ? customers.findIndex(({ uma }) => uma === destination.uma) : -1;
    const receiver = isUma ? (own < 0 ? null : own) : this.ownerOf(destination);
    const sending = currencyOf(source);
    const receiving = currencyOf(destination);
    const from: Place = source.at === 'INTERNAL' ? source.index : 'OUTSIDE';
    const to = this.placeOf(destination, own);
    const isWallet = source.at === 'INTERNAL' && sending === 'USDB';
    const price = isAmount(amount, greatest)
      ? priceOf(side, BigInt(amount), money(sending), money(receiving), this.rates.get(`${sending} ${receiving}`) ?? '')
      : null;
    const takes =
      isUma && own < 0 ? receivers.some((one) => one.uma === destination.uma && one.currency === receiving) : true;
    const missing = [
      !this.isThere(source) && '404 ACCOUNT_NOT_FOUND',
      !isUma && !this.isThere(destination) && '404 ACCOUNT_NOT_FOUND',
      isUma && own >= 0 && this.deleted[own] && '404 UMA_NOT_FOUND',
    ];
    const gone = [
      this.isDeleted(payer) && '410 CUSTOMER_DELETED',
      !isUma && this.isDeleted(receiver) && '410 CUSTOMER_DELETED',
    ];
    if (agent !== undefined) {
      refuseFirst(
        [!isAmount(amount, greatest) && '400 INVALID_INPUT'],
        // If two objects are missing, the answer names one of them.
        [...agent.missing, ...missing],
        ...agent.next,
      );
    }
    const noLookup = isUma && !hasLookup;
    if (noLookup && isAmount(amount, greatest)) {
      // If an address wasn't looked up and something else is wrong too, the document doesn't say which error comes
      // first.
      throw new Refused(['400 INVALID_INPUT', ...[...missing, ...gone].filter((one) => typeof one === 'string')]);
    }
    refuseFirst(
      [!isAmount(amount, greatest) && '400 INVALID_INPUT'],
      missing,
      gone,
      [
        source.at === 'INTERNAL' && !this.account(source.index).isOpen && '400 INVALID_INPUT',
        destination.at === 'INTERNAL' && !this.account(destination.index).isOpen && '400 INVALID_INPUT',
        own >= 0 && this.deposit(own, receiving) === undefined && '400 INVALID_CURRENCY',
        !takes && '400 INVALID_CURRENCY',
        isSameAccount(source, destination) && '400 INVALID_INPUT',
        from !== 'OUTSIDE' && from === to && '400 INVALID_INPUT',
        own >= 0 && this.isDepositOf(source, own, receiving) && '400 INVALID_INPUT',
        atOnce && (source.at === 'OUTSIDE' || isWallet) && '400 INVALID_INPUT',
        !isToldAll && (isUma || receiving === 'INR') && '400 MISSING_MANDATORY_USER_INFO',
      ],
      [price === null && '400 AMOUNT_OUT_OF_RANGE'],
    );
    if (price === null) throw new Error('An amount without a price was let through');
    const figures = { sending: Number(price.sending), fee: Number(price.fee), receiving: Number(price.receiving) };
    return {
      status: 'PENDING',
      source,
      destination,
      from,
      to,
      payer,
      owner: receiver,
      versions: this.versionsOf(source, destination),
      ...figures,
      currencies: [sending, receiving],
      transaction: draft('OUTGOING', this.now, figures.sending, figures.receiving),
    };
  }

  /** Whether the external account that pays is the customer's deposit account, so that the money would return to it. */
  private isDepositOf(source: Source, customer: number, currency: string): boolean {
    const account = source.at === 'EXTERNAL' ? externals[source.index] : undefined;
    return account?.isDeposit === true && account.owner === customer && account.currency === currency;
  }

  /** Keeps a quote until it is executed or expires. */
  protected open(number: number, quote: Quote): void {
    this.quotes.set(number, quote);
    this.transactions.push(quote.transaction);
    this.later(5 * 60, () => {
      if (quote.status === 'PENDING') this.end(quote, 'EXPIRED', 'QUOTE_EXPIRED');
    });
  }

  protected execute({ quote: number, signature }: Extract<Step, { kind: 'EXECUTE' }>): Expected {
    const quote = this.quoteOf(number);
    refuseFirst(
      [quote.source.at === 'OUTSIDE' && '400 INVALID_INPUT'],
      [notPending(quote)],
      [this.isDeleted(quote.payer) && '410 CUSTOMER_DELETED'],
      this.unsigned(quote, signature),
    );
    if (this.isPossible(quote)) this.refuseWithoutMoney(quote);
    this.carryOut(quote);
    return { status: 200, quote: number };
  }

  protected payIn({ quote: number, currency, extra }: Extract<Step, { kind: 'PAY_IN' }>): Expected {
    const quote = this.quoteOf(number);
    refuseFirst(
      [extra !== null && quote.sending + extra > greatest && '400 INVALID_INPUT'],
      [quote.source.at !== 'OUTSIDE' && '400 INVALID_INPUT'],
      [notPending(quote)],
      [currency === 'WRONG' && '400 INVALID_CURRENCY', (extra ?? 0) !== 0 && '400 INVALID_AMOUNT'],
    );
    if (this.isDeleted(quote.payer)) this.end(quote, 'FAILED', 'QUOTE_EXECUTION_FAILED');
    else this.carryOut(quote);
    return { status: 200, transaction: quote.transaction };
  }

  /** A wallet's owner must sign. Nobody can sign for a closed wallet. */
  protected unsigned({ source, currencies }: Quote, signature: string): Level {
    if (source.at !== 'INTERNAL' || currencies[0] !== 'USDB') return [];
    if (signature === 'NONE') return ['401 WALLET_SIGNATURE_MISSING'];
    return [(signature === 'WRONG' || !this.account(source.index).isOpen) && '401 UNAUTHORIZED'];
  }

  protected quoteOf(number: number): Quote {
    const quote = this.quotes.get(number);
    if (quote === undefined) throw new Error('No such quote');
    return quote;
  }
}
