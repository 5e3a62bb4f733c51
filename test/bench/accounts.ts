/** The external accounts that fill a store, the same whether they come through the interface or straight into the table. */
const currencies = ['USD', 'EUR', 'GBP', 'JPY'] as const;

/** The account with that number: what `POST /customers/external-accounts` takes, without an owner. */
export function benchAccount(number: number) {
  return {
    currency: currencies[(number >> 1) % currencies.length] ?? 'USD',
    accountInfo: {
      accountType: 'SWIFT_ACCOUNT' as const,
      // The last three characters select the outcome at the bank. A 9 at the end selects none.
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
