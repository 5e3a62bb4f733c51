/** What happens to a quote in the model after it is executed (D28 to D31, D72). */
import { Books } from './books.ts';
import { externals } from './cast.ts';
import { type Fate, fateOf, greatest, type Quote, refuseFirst, transferFailures } from './facts.ts';

export class Payments extends Books {
  /** Whether the quote's payment is still possible. */
  protected isPossible({ source, destination, versions, from, to, owner, receiving }: Quote): boolean {
    if (![source, destination].every((side) => this.isThere(side))) return false;
    if (String(versions) !== String(this.versionsOf(source, destination))) return false;
    if (from !== 'OUTSIDE' && !this.account(from).isOpen) return false;
    if (to !== 'OUTSIDE' && (!this.account(to).isOpen || this.account(to).balance + receiving > greatest)) return false;
    return !this.isDeleted(owner);
  }

  protected lacksMoney({ from, sending }: Quote): boolean {
    return from !== 'OUTSIDE' && this.account(from).balance < sending;
  }

  protected refuseWithoutMoney(quote: Quote): void {
    refuseFirst([this.lacksMoney(quote) && '400 INSUFFICIENT_FUNDS']);
  }

  protected carryOut(quote: Quote): void {
    const { source, sending, currencies } = quote;
    const pulled = source.at === 'EXTERNAL' ? (externals[source.index]?.suffix ?? '') : '';
    const failure = this.isPossible(quote) ? transferFailures[pulled] : 'QUOTE_EXECUTION_FAILED';
    if (failure !== undefined) {
      this.end(quote, 'FAILED', failure);
    } else if (pulled === '005') {
      const held = `Held:${currencies[0]}`;
      this.hold(held, sending);
      this.change(quote, 'PROCESSING');
      this.later(30, () => {
        this.hold(held, -sending);
        this.end(quote, 'FAILED', 'TIMED_OUT');
      });
    } else {
      this.pay(quote, fateOf(quote));
    }
  }

  /** Pays the quote. The payer has the money, so only the destination decides. */
  protected pay(quote: Quote, fate: Fate): void {
    const { from, sending, currencies } = quote;
    const isTaken = !['NOT_BEGUN', 'BOUNCED', 'CANCELLED'].includes(fate);
    if (isTaken && from !== 'OUTSIDE') this.account(from).balance -= sending;
    switch (fate) {
      case 'PAID':
        this.arrive(quote);
        break;
      case 'SLOW':
        this.hold(`Held:${currencies[0]}`, sending);
        this.change(quote, 'PROCESSING');
        if (from !== 'OUTSIDE') this.onTheWay.push({ index: from, transaction: quote.transaction });
        this.later(6 * 60, () => {
          this.hold(`Held:${currencies[0]}`, -sending);
          this.arrive(quote);
        });
        break;
      case 'NOT_BEGUN':
        this.end(quote, 'FAILED', 'QUOTE_EXECUTION_FAILED');
        break;
      case 'BOUNCED':
        this.end(quote, 'FAILED', 'COUNTERPARTY_POST_TX_FAILED', 'COMPLETED TRANSACTION_FAILED');
        break;
      case 'CANCELLED':
        this.end(quote, 'FAILED', 'QUOTE_EXECUTION_FAILED', 'COMPLETED USER_CANCELLATION');
        break;
      case 'LOST':
        this.hold(`Kept:${currencies[0]}`, sending);
        this.end(quote, 'FAILED', 'COUNTERPARTY_POST_TX_FAILED', 'FAILED TRANSACTION_FAILED');
        break;
      case 'RETURNED':
        this.arrive(quote);
        this.later(30, () => {
          this.hold(`Fees:${currencies[0]}`, -quote.fee);
          const refund = this.takeBack(from, sending, currencies[0]) ? 'COMPLETED' : 'FAILED';
          this.end(quote, 'FAILED', 'COUNTERPARTY_POST_TX_FAILED', `${refund} TRANSACTION_FAILED`);
        });
        break;
    }
  }

  /** The money arrives. Somebody other than the payer gets a transaction. */
  protected arrive(quote: Quote): void {
    const { to, fee, receiving, currencies, payer, owner, destination } = quote;
    this.hold(`Fees:${currencies[0]}`, fee);
    if (to !== 'OUTSIDE') this.account(to).balance += receiving;
    this.change(quote, 'COMPLETED');
    quote.transaction.settledAt = this.now;
    const isTold = to !== 'OUTSIDE' || (destination.at === 'UMA' && owner !== null);
    if (isTold && owner !== payer) {
      this.record({ type: 'INCOMING', status: 'COMPLETED', sent: undefined, received: receiving, settledAt: this.now });
    }
  }

  protected end(quote: Quote, status: string, failureReason: string, refund?: string): void {
    this.change(quote, status);
    Object.assign(quote.transaction, { failureReason, refund });
  }

  protected change(quote: Quote, status: string): void {
    quote.status = status;
    Object.assign(quote.transaction, { status, updatedAt: this.now });
  }
}
