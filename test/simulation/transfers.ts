/** Money that moves without a quote in the model: sandbox money, transfers, and payments that arrive by UMA. */

import { accounts, customers, externals, receivers } from './cast.ts';
import {
  type Expected,
  greatest,
  isAmount,
  mostFunding,
  refuseFirst,
  type Transaction,
  transferFailures,
} from './facts.ts';
import { Payments } from './payments.ts';
import type { Step } from './steps.ts';

interface Ends {
  readonly account: number;
  readonly external: number;
  readonly amount: number;
}

function suffixOf(external: number): string {
  return externals[external]?.suffix ?? '';
}

export class Transfers extends Payments {
  protected fund(index: number, amount: number): Expected {
    const account = this.account(index);
    refuseFirst(
      [!isAmount(amount, mostFunding) && '400 INVALID_INPUT'],
      [!account.isKnown && '404 ACCOUNT_NOT_FOUND'],
      [!account.isOpen && '400 INVALID_INPUT'],
      [account.balance + amount > greatest && '400 AMOUNT_OUT_OF_RANGE'],
    );
    account.balance += amount;
    this.record({ type: 'INCOMING', status: 'COMPLETED', sent: undefined, received: amount, settledAt: this.now });
    return { status: 200 };
  }

  protected transferIn(step: Extract<Step, { kind: 'TRANSFER_IN' }>): Expected {
    this.checkTransfer(step, false);
    return { status: 201, transaction: this.collect(step) };
  }

  protected transferOut(step: Extract<Step, { kind: 'TRANSFER_OUT' }>): Expected {
    this.checkTransfer(step, true);
    return { status: 201, transaction: this.payOut(step) };
  }

  /** Collects money from an account outside. */
  protected collect({ account: index, external, amount }: Ends): Transaction {
    const suffix = suffixOf(external);
    const account = this.account(index);
    if (transferFailures[suffix] === undefined && suffix !== '005') {
      refuseFirst([account.balance + amount > greatest && '400 AMOUNT_OUT_OF_RANGE']);
      account.balance += amount;
    }
    return this.transfer('INCOMING', amount, suffix, index);
  }

  /** Pays money to an account outside. */
  protected payOut({ account: index, external, amount }: Ends): Transaction {
    const suffix = suffixOf(external);
    const account = this.account(index);
    refuseFirst([account.balance < amount && '400 INSUFFICIENT_FUNDS']);
    if (transferFailures[suffix] === undefined) account.balance -= amount;
    return this.transfer('OUTGOING', amount, suffix, index);
  }

  private checkTransfer(step: Ends, isOut: boolean): void {
    const account = this.account(step.account);
    const inside = accounts[step.account];
    const outside = externals[step.external];
    if (inside === undefined || outside === undefined) throw new Error('A step names an account that is in no list');
    refuseFirst(
      [!isAmount(step.amount, greatest) && '400 INVALID_INPUT'],
      [(!account.isKnown || this.externals[step.external]?.isThere !== true) && '404 ACCOUNT_NOT_FOUND'],
      [(this.isDeleted(inside.owner) || this.isDeleted(outside.owner)) && '410 CUSTOMER_DELETED'],
      [
        isOut && inside.currency === 'USDB' && '400 INVALID_INPUT',
        !account.isOpen && '400 INVALID_INPUT',
        inside.currency !== outside.currency && '400 INVALID_CURRENCY',
        inside.owner !== null && outside.owner !== null && inside.owner !== outside.owner && '400 INVALID_INPUT',
      ],
    );
  }

  private transfer(type: 'INCOMING' | 'OUTGOING', amount: number, suffix: string, index: number): Transaction {
    const failureReason = transferFailures[suffix];
    const sent = type === 'OUTGOING' ? amount : undefined;
    if (failureReason !== undefined) {
      return this.record({ type, status: 'FAILED', failureReason, sent, received: amount });
    }
    if (suffix !== '005')
      return this.record({ type, status: 'COMPLETED', sent, received: amount, settledAt: this.now });
    const { currency = '' } = accounts[index] ?? {};
    const transaction = this.record({ type, status: 'PENDING', sent, received: amount });
    this.hold(`Held:${currency}`, amount);
    if (type === 'OUTGOING') this.onTheWay.push({ index, transaction });
    this.later(30, () => {
      this.hold(`Held:${currency}`, -amount);
      if (type === 'OUTGOING') this.takeBack(index, amount, currency);
      Object.assign(transaction, { status: 'FAILED', failureReason: 'TIMED_OUT', updatedAt: this.now });
    });
    return transaction;
  }

  protected umaIn(step: Extract<Step, { kind: 'UMA_IN' }>): Expected {
    const { sender, receiver, isByAddress, currency, amount } = step;
    const from = customers.findIndex(({ uma }) => uma === sender);
    const isKnown = from >= 0 ? this.deleted[from] === false : receivers.some(({ uma }) => uma === sender);
    const isGone = this.deleted[receiver] === true;
    refuseFirst(
      [!isAmount(amount, greatest) && '400 INVALID_INPUT'],
      [!isKnown && '404 UMA_NOT_FOUND', isByAddress && isGone && '404 UMA_NOT_FOUND'],
      [isGone && '410 CUSTOMER_DELETED'],
      [from === receiver && '400 SELF_PAYMENT'],
    );
    const to = this.deposit(receiver, currency);
    refuseFirst([to === undefined && '400 INVALID_CURRENCY']);
    if (typeof to === 'number') {
      refuseFirst([this.account(to).balance + amount > greatest && '400 AMOUNT_OUT_OF_RANGE']);
      this.account(to).balance += amount;
    }
    const transaction = this.record({
      type: 'INCOMING',
      status: 'COMPLETED',
      sent: undefined,
      received: amount,
      settledAt: this.now,
    });
    return { status: 200, transaction };
  }
}
