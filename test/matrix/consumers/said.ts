/** What each consumer must find out with the code that a tool made, and with nothing else. */
export interface Said {
  /** How many customers a page has. */
  readonly listed: number;
  /** The id of a new customer, who is a person. */
  readonly created: string;
  /** Why one with an unknown currency is refused: the code of the 400, in the type that the tool gives it. */
  readonly refused: 'INVALID_INPUT' | 'INVALID_CURRENCY';
}

export const base: string = process.env['COUNTERSIGN_BASE'] ?? '';
export const authorization = `Basic ${btoa('sandbox:sandbox')}` as const;

export const newCustomer = {
  customerType: 'INDIVIDUAL' as const,
  region: 'US',
  currencies: ['USD'],
  email: 'mira.hoffmann@example.com',
  fullName: 'Mira Hoffmann',
  birthDate: '1990-01-31',
  nationality: 'DE',
  address: { line1: '1 Example Street', city: 'Berlin', state: 'Berlin', postalCode: '10115', country: 'DE' },
};
export const impossibleCustomer = { ...newCustomer, currencies: ['XXX'] };

export const say = (said: Said): void => console.log(JSON.stringify(said));

/** @throws Error always: for the way that must not be gone. */
export function unexpected(what: unknown): never {
  throw new Error(`Unexpected: ${JSON.stringify(what)}`);
}
