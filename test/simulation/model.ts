/**
 * A second implementation of the document without the sandbox's code: balances are plain numbers, outcomes come from
 * tables, and later events wait in a list.
 */
import { Agents } from './agents.ts';
import { accounts, externals } from './cast.ts';
import { type Expected, Refused, refuseFirst } from './facts.ts';
import type { Step } from './steps.ts';

export class Model extends Agents {
  /** Carries out a step. */
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
      default:
        return this.takeOfAgent(step);
    }
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
