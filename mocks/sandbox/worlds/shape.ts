import type {
  AgentCreateRequest,
  CustomerCreateRequest,
  ExternalAccountCreateRequest,
} from '../../../generated/types.ts';

/** A world that is there already: the small one of a fresh sandbox, or what the examples of the contract tell. */
export type WorldName = 'ready-made' | 'examples';

/** What a platform begins with: customers as the interface creates them, and their accounts. */
export interface World {
  readonly customers: readonly WorldCustomer[];
}

/** All that a platform was, as `GET /__sandbox/snapshot` gives it. What else is in it is nobody's business. */
export interface SnapshotDocument {
  readonly format: string;
  readonly digest: string;
}

export interface WorldCustomer {
  readonly customer: CustomerCreateRequest;
  /** As the interface adds them, without the customer. */
  readonly externalAccounts?: readonly Omit<ExternalAccountCreateRequest, 'customerId'>[] | undefined;
  readonly agents?: readonly WorldAgent[] | undefined;
  /** Instead of one empty account per currency: these, so that a customer may have several wallets. */
  readonly accounts?: readonly { readonly currency: string; readonly balance?: number }[] | undefined;
}

/** An agent as the interface makes it, without the customer, and with a device code that can be known beforehand. */
export interface WorldAgent extends Omit<AgentCreateRequest, 'customerId'> {
  /** Has the form `AGENT-XXXX-XXXX`. When absent, a random code that nobody learns. A code works on one platform. */
  readonly deviceCode?: string | undefined;
}
