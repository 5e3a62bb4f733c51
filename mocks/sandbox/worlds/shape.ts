import type {
  AgentCreateRequest,
  CustomerCreateRequest,
  ExternalAccountCreateRequest,
} from '../../../generated/types.ts';

/** The name of a built-in world: the small one of a fresh sandbox, or the world of the contract's examples. */
export type WorldName = 'ready-made' | 'examples';

/** A platform's initial data: customers as the interface creates them, and their accounts. */
export interface World {
  readonly customers: readonly WorldCustomer[];
}

/** The whole state of a platform, as `GET /__sandbox/snapshot` returns it. Its other fields are internal. */
export interface SnapshotDocument {
  readonly format: string;
  readonly digest: string;
}

export interface WorldCustomer {
  readonly customer: CustomerCreateRequest;
  /** As the interface creates them, without the customer. */
  readonly externalAccounts?: readonly Omit<ExternalAccountCreateRequest, 'customerId'>[] | undefined;
  readonly agents?: readonly WorldAgent[] | undefined;
  /** Replaces the empty account per currency. With this list a customer may have several wallets. */
  readonly accounts?: readonly { readonly currency: string; readonly balance?: number }[] | undefined;
}

/** An agent as the interface creates it, without the customer, and with a fixed device code. */
export interface WorldAgent extends Omit<AgentCreateRequest, 'customerId'> {
  /**
   * Has the form `AGENT-XXXX-XXXX`. If absent, a random code that is never shown. A code works on one platform only.
   */
  readonly deviceCode?: string | undefined;
}
