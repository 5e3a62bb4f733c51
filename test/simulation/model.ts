/**
 * What the document says becomes of every step, written a second time and without the sandbox's code: balances are
 * plain numbers, outcomes are read off tables, and what happens later waits in a list.
 */
import { priceOf } from '../support/exactMoney.ts';
import {
  currencyOf,
  draft,
  type Expected,
  greatest,
  isAmount,
  isSameAccount,
  money,
  notPending,
  type Place,
  type Quote,
  Refused,
  refuseFirst,
} from './facts.ts';
import { accounts, customers, externals, receivers, type Step } from './steps.ts';
import { Transfers } from './transfers.ts';

export class Model extends Transfers {
  /** Does a step. */
  take(step: Step): Expected {
    try {
      return this.decide(step);
    } catch (error) {
      if (error instanceof Refused) return { refusals: error.refusals };
      throw error;
    }
  }

  private decide(step: Step): Expected {
    switch (step.kind) {
      case 'FUND':
        return this.fund(step.account, step.amount);
      case 'QUOTE':
        return this.quote(step);
      case 'EXECUTE':
        return this.execute(step);
      case 'PAY_IN':
        return this.payIn(step);
      case 'TRANSFER_IN':
        return this.transferIn(step);
      case 'TRANSFER_OUT':
        return this.transferOut(step);
      case 'UMA_IN':
        return this.umaIn(step);
      case 'WAIT':
        this.wait(step.seconds);
        return { status: 200 };
      case 'REMOVE':
        return this.remove(step.external);
      case 'ADD':
        return this.add(step.external);
      case 'CURRENCIES':
        return this.setCurrencies(step.customer, step.currencies);
      case 'DELETE':
        return this.deleteCustomer(step.customer);
    }
  }

  private quote(step: Extract<Step, { kind: 'QUOTE' }>): Expected {
    const { source, destination, side, amount, atOnce, isToldAll, hasLookup } = step;
    const isUma = destination.at === 'UMA';
    const own = isUma ? customers.findIndex(({ uma }) => uma === destination.uma) : -1;
    const payer = this.ownerOf(source);
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
    const noLookup = isUma && !hasLookup;
    if (noLookup && isAmount(amount, greatest)) {
      // Nothing is said of an address that was not looked up and something else that is wrong.
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
        atOnce && (source.at === 'OUTSIDE' || isWallet) && '400 INVALID_INPUT',
        !isToldAll && (isUma || receiving === 'INR') && '400 MISSING_MANDATORY_USER_INFO',
      ],
      [price === null && '400 AMOUNT_OUT_OF_RANGE'],
    );
    if (price === null) throw new Error('An amount without a price was let through');
    const figures = { sending: Number(price.sending), fee: Number(price.fee), receiving: Number(price.receiving) };
    const quote: Quote = {
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
    if (atOnce && this.isPossible(quote)) this.refuseWithoutMoney(quote);
    this.quotes.set(step.number, quote);
    this.transactions.push(quote.transaction);
    this.later(5 * 60, () => {
      if (quote.status === 'PENDING') this.end(quote, 'EXPIRED', 'QUOTE_EXPIRED');
    });
    if (atOnce) this.carryOut(quote);
    return { status: 201, quote: step.number };
  }

  private execute({ quote: number, signature }: Extract<Step, { kind: 'EXECUTE' }>): Expected {
    const quote = this.quotes.get(number);
    if (quote === undefined) throw new Error('No such quote');
    const isWallet = quote.source.at === 'INTERNAL' && quote.currencies[0] === 'USDB';
    refuseFirst(
      [quote.source.at === 'OUTSIDE' && '400 INVALID_INPUT'],
      [notPending(quote)],
      [this.isDeleted(quote.payer) && '410 CUSTOMER_DELETED'],
      [
        isWallet && signature === 'NONE' && '401 WALLET_SIGNATURE_MISSING',
        isWallet && signature === 'WRONG' && '401 UNAUTHORIZED',
      ],
    );
    if (this.isPossible(quote)) this.refuseWithoutMoney(quote);
    this.carryOut(quote);
    return { status: 200, quote: number };
  }

  private payIn({ quote: number, currency, extra }: Extract<Step, { kind: 'PAY_IN' }>): Expected {
    const quote = this.quotes.get(number);
    if (quote === undefined) throw new Error('No such quote');
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

  private remove(index: number): Expected {
    const isThere = this.externals[index]?.isThere === true;
    refuseFirst(
      [!isThere && '404 ACCOUNT_NOT_FOUND'],
      [this.isDeleted(externals[index]?.owner ?? null) && '410 CUSTOMER_DELETED'],
    );
    this.externals[index] = { isThere: false, version: this.versionOf(index) };
    return { status: 204 };
  }

  private add(index: number): Expected {
    const isThere = this.externals[index]?.isThere === true;
    refuseFirst(
      [this.isDeleted(externals[index]?.owner ?? null) && '410 CUSTOMER_DELETED'],
      [isThere && '409 CONFLICT'],
    );
    this.externals[index] = { isThere: true, version: this.versionOf(index) + 1 };
    return { status: 201 };
  }

  private setCurrencies(customer: number, wanted: readonly string[]): Expected {
    const own = this.accountsOf(customer);
    const closing = own.filter(
      (index) => this.account(index).isOpen && !wanted.includes(accounts[index]?.currency ?? ''),
    );
    refuseFirst(
      [wanted.length === 0 && '400 INVALID_INPUT'],
      [this.deleted[customer] && '410 CUSTOMER_DELETED'],
      [closing.some((index) => this.hasMoney(index)) && '409 CONFLICT'],
    );
    for (const index of own) {
      const account = this.account(index);
      account.isOpen = wanted.includes(accounts[index]?.currency ?? '');
      account.isKnown ||= account.isOpen;
    }
    return { status: 200 };
  }

  private deleteCustomer(customer: number): Expected {
    const own = this.accountsOf(customer);
    refuseFirst(
      [this.deleted[customer] && '410 CUSTOMER_DELETED'],
      [own.some((index) => this.hasMoney(index)) && '409 CONFLICT'],
    );
    this.deleted[customer] = true;
    for (const index of own) this.account(index).isOpen = false;
    return { status: 200 };
  }
}
