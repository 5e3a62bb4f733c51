/** Places of the ledger that aren't an account of anybody (D29). */
export const places = {
  /** Everything outside the service, by currency and the rail that leads there; the only one that may go below zero. */
  world: (currency: string, rail = 'SANDBOX') => `World:${currency}:${rail}`,
  /** Money that has left its account and not arrived yet. */
  held: (currency: string) => `Held:${currency}`,
  fees: (currency: string) => `Fees:${currency}`,
  /** Money that could be returned to nobody: the service keeps it. */
  kept: (currency: string) => `Kept:${currency}`,
} as const;

/** Whether a place of the ledger, or an id that a request names, is an account inside the service. */
export function isInternalAccount(place: string | undefined): place is `InternalAccount:${string}` {
  return place?.startsWith('InternalAccount:') === true;
}

/** Whether an id is that of an account outside the service. */
export function isExternalAccount(id: string | undefined): id is `ExternalAccount:${string}` {
  return id?.startsWith('ExternalAccount:') === true;
}

/** Whether a place of the ledger is everything outside the service. */
export function isWorld(place: string): boolean {
  return place.startsWith('World:');
}
