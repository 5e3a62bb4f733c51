/** Places of the ledger that aren't a customer's or the platform's account (D29). */
export const places = {
  /** Everything outside the service, by currency and rail. Only this place may be negative. */
  world: (currency: string, rail = 'SANDBOX') => `World:${currency}:${rail}`,
  /** Money that has left its account and hasn't arrived yet. */
  held: (currency: string) => `Held:${currency}`,
  fees: (currency: string) => `Fees:${currency}`,
  /** Money that couldn't be returned. The service keeps it. */
  kept: (currency: string) => `Kept:${currency}`,
} as const;

/** Whether a place of the ledger, or an id in a request, is an account inside the service. */
export function isInternalAccount(place: string | undefined): place is `InternalAccount:${string}` {
  return place?.startsWith('InternalAccount:') === true;
}

/** Whether an id is that of an external account. */
export function isExternalAccount(id: string | undefined): id is `ExternalAccount:${string}` {
  return id?.startsWith('ExternalAccount:') === true;
}

/** Whether a place of the ledger is the outside world. */
export function isWorld(place: string): boolean {
  return place.startsWith('World:');
}
