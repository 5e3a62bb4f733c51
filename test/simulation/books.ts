/** The model's state: who exists, what every account holds, what is planned for later, and the time. */

import { accounts, customers, type Destination, externals, type Source } from './cast.ts';
import { draft, greatest, type Place, type Quote, type Transaction } from './facts.ts';

export class Books {
  now: number;
  readonly accounts: { isKnown: boolean; isOpen: boolean; balance: number }[];
  /** An account that was removed and added again has another version, and older quotes don't refer to it. */
  readonly externals: { readonly isThere: boolean; readonly version: number }[] = externals.map(() => ({
    isThere: true,
    version: 0,
  }));
  readonly deleted: boolean[] = customers.map(() => false);
  readonly quotes = new Map<number, Quote>();
  readonly transactions: Transaction[] = [];
  /** The service's own money, by `Held:`, `Fees:` or `Kept:` and the currency. */
  readonly pots = new Map<string, bigint>();
  protected readonly due: { at: number; happens: () => void }[] = [];
  protected readonly rates: ReadonlyMap<string, string>;

  /** @param rates as printed, by both codes. */
  constructor(now: number, rates: ReadonlyMap<string, string>) {
    this.now = now;
    this.rates = rates;
    this.accounts = accounts.map(({ owner, currency }) => {
      const isOpen = owner === null || (customers[owner]?.currencies.includes(currency) ?? false);
      return { isKnown: isOpen, isOpen, balance: 0 };
    });
  }

  /** Money that has left an account and hasn't arrived or returned yet. */
  protected onTheWay: { readonly index: number; readonly transaction: Transaction }[] = [];

  protected hasMoney(index: number): boolean {
    this.onTheWay = this.onTheWay.filter(({ transaction }) => ['PENDING', 'PROCESSING'].includes(transaction.status));
    return this.account(index).balance > 0 || this.onTheWay.some((one) => one.index === index);
  }

  protected wait(seconds: number): void {
    const until = this.now + seconds * 1000;
    for (;;) {
      // The list has the order of planning, and a sort keeps that order for equal times.
      const [next] = this.due.toSorted((one, other) => one.at - other.at);
      if (next === undefined || next.at > until) break;
      this.due.splice(this.due.indexOf(next), 1);
      this.now = next.at;
      next.happens();
    }
    this.now = until;
  }

  /** Returns money to an account. If the account is closed or would hold too much, the service keeps the money. */
  protected takeBack(to: Place, amount: number, currency: string): boolean {
    if (to === 'OUTSIDE') return true;
    const account = this.account(to);
    if (account.isOpen && account.balance + amount <= greatest) {
      account.balance += amount;
      return true;
    }
    this.hold(`Kept:${currency}`, amount);
    return false;
  }

  protected hold(pot: string, amount: number): void {
    this.pots.set(pot, (this.pots.get(pot) ?? 0n) + BigInt(amount));
  }

  protected later(seconds: number, happens: () => void): void {
    this.due.push({ at: this.now + seconds * 1000, happens });
  }

  protected record(
    facts: Pick<Transaction, 'type' | 'status' | 'sent' | 'received'> & Partial<Transaction>,
  ): Transaction {
    const transaction = { ...draft(facts.type, this.now, facts.sent, facts.received), ...facts };
    this.transactions.push(transaction);
    return transaction;
  }

  protected account(index: number) {
    const account = this.accounts[index];
    if (account === undefined) throw new Error(`No account ${index}`);
    return account;
  }

  protected accountsOf(customer: number): number[] {
    return accounts.flatMap(({ owner }, index) => (owner === customer ? [index] : []));
  }

  /** Where a customer's UMA payments in a currency go; undefined if they can't arrive. */
  protected deposit(customer: number, currency: string): Place | undefined {
    if (externals.some((one) => one.isDeposit === true && one.owner === customer && one.currency === currency))
      return 'OUTSIDE';
    return this.accountsOf(customer).find(
      (index) => accounts[index]?.currency === currency && this.account(index).isOpen,
    );
  }

  protected placeOf(destination: Destination, own: number): Place {
    if (destination.at === 'INTERNAL') return destination.index;
    if (destination.at === 'EXTERNAL' || own < 0) return 'OUTSIDE';
    return this.deposit(own, destination.currency) ?? 'OUTSIDE';
  }

  protected isThere(side: Source | Destination): boolean {
    if (side.at === 'INTERNAL') return this.account(side.index).isKnown;
    return side.at === 'EXTERNAL' ? this.externals[side.index]?.isThere === true : true;
  }

  protected versionOf(index: number): number {
    return this.externals[index]?.version ?? 0;
  }

  protected versionsOf(...sides: readonly (Source | Destination)[]): (number | undefined)[] {
    return sides.map((side) => (side.at === 'EXTERNAL' ? this.versionOf(side.index) : undefined));
  }

  protected isDeleted(customer: number | null): boolean {
    return customer !== null && this.deleted[customer] === true;
  }

  protected ownerOf(side: Source | Destination): number | null {
    if (side.at === 'OUTSIDE') return side.owner;
    if (side.at === 'UMA') return null;
    return (side.at === 'INTERNAL' ? accounts : externals)[side.index]?.owner ?? null;
  }
}
