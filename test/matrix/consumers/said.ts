/** What each consumer must find out using only the code that a tool generated. */
export interface Said {
  /** The number of customers on a page. */
  readonly listed: number;
  /** The id of a new customer, an individual. */
  readonly created: string;
  /** The code of the 400 for an unknown currency, in the type that the tool generated. */
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

/** @throws Error always, for a branch that must not be reached. */
export function unexpected(what: unknown): never {
  throw new Error(`Unexpected: ${JSON.stringify(what)}`);
}
