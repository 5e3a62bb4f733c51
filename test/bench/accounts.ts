/**
 * The external accounts that fill a store. They are the same whether they are added through the interface or directly
 * in the table.
 */
const currencies = ['USD', 'EUR', 'GBP', 'JPY'] as const;

/** The account with that number: the body of `POST /customers/external-accounts`, without an owner. */
export function benchAccount(number: number) {
  return {
    currency: currencies[(number >> 1) % currencies.length] ?? 'USD',
    accountInfo: {
      accountType: 'SWIFT_ACCOUNT' as const,
      // The last three characters select the outcome at the bank. With a 9 at the end they select none.
      accountNumber: `${String(number).padStart(11, '0')}9`,
      swiftCode: 'DEUTDEFF',
      bankName: 'Bench Bank',
      country: 'DE',
      paymentRails: ['SWIFT' as const],
      beneficiary: {
        beneficiaryType: 'INDIVIDUAL' as const,
        fullName: `Payee ${number}`,
        birthDate: '1990-04-12',
        nationality: 'DE',
        address: { line1: 'Hauptstr. 1', city: 'Berlin', state: 'Berlin', postalCode: '10115', country: 'DE' },
      },
    },
  };
}
