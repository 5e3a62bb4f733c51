/**
 * Mutations with no visible effect, each with the reason. They aren't planted. An entry that names no existing mutation
 * fails `points.test.ts`.
 */
interface Equivalent {
  readonly file: string;
  /** The name that `npm run mutate` prints. */
  readonly name: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'judgeCertificates: -1 → -(1 + 1)',
    why: 'Below zero is where none was found, and at zero stands the head of the attestation.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'judgeCertificates: at < 0 → at <= 0',
    why: 'Below zero is where none was found, and at zero stands the head of the attestation.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'judgeCertificates: at < 0 → at < (0 + 1)',
    why: 'Below zero is where none was found, and at zero stands the head of the attestation.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'derAt: tag = 0 → tag = (0 + 1)',
    why: 'Node has read the certificate before, so no value of it ends early.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'derAt: first = 0 → first = (0 + 1)',
    why: 'Node has read the certificate before, so no value of it ends early.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'derAt: bytes[at + 2 + index] ?? 0 → bytes[at + 2 + index]',
    why: 'Node has read the certificate before, so no value of it ends early.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'derAt: bytes[at + 2 + index] ?? 0 → bytes[at + 2 + index] ?? (0 + 1)',
    why: 'Node has read the certificate before, so no value of it ends early.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'derAt: first < 0x80 → first <= 0x80',
    why: '0x80 is a length of BER that DER does not have, and Node has read the certificate before.',
  },
  {
    file: 'mocks/sandbox/proofs/certificates.ts',
    name: 'derAt: first < 0x80 → first < (128 + 1)',
    why: '0x80 is a length of BER that DER does not have, and Node has read the certificate before.',
  },
  {
    file: 'mocks/sandbox/signedRetry/signedRetry.ts',
    name: 'targetOf: [call.operation.id, call.path] → [call.path, call.operation.id]',
    why: 'The text is only compared with one that was made the same way.',
  },
  {
    file: 'mocks/sandbox/domains/customers/procedures.ts',
    name: "planCurrencies: status !== 'CLOSED' → status !== 'MUTATED'",
    why: 'A closed account is empty and sends nothing, and closing it again does nothing.',
  },
  {
    file: 'mocks/sandbox/domains/customers/rules.ts',
    name: "mergeCustomer: customer.customerType === 'INDIVIDUAL' → customer.customerType === 'MUTATED'",
    why: 'The type of the body was compared with that of the customer before: the second half tells the compiler only.',
  },
  {
    file: 'mocks/sandbox/domains/customers/rules.ts',
    name: "mergeCustomer: body.customerType === 'INDIVIDUAL' → body.customerType === 'MUTATED'",
    why: 'The same, for the first half.',
  },
  {
    file: 'mocks/sandbox/domains/agents/procedures/actions.ts',
    name: "checkIsFree: (await actions.where(unit, 'waiting_quote_id', id)).find((action) => action.id !== waitingId) → (await actions.where(unit, 'waiting_quote_id', id)).findLast((action) => action.id !== waitingId)",
    why: 'At most one action waits on a quote: this very check keeps a second one out.',
  },
  {
    file: 'mocks/sandbox/domains/transfers/records.ts',
    name: 'transactions: [source, destination] → [destination, source]',
    why: 'The labels of a record are kept as a set.',
  },
  {
    file: 'mocks/sandbox/proofs/claims.ts',
    name: 'readJsonPart: bytes === null → false',
    why: 'Decoding null throws, which is caught and null as well.',
  },
  {
    file: 'mocks/sandbox/proofs/stamp.ts',
    name: 'verifyBareSignature: key !== null && signature !== null → key !== null || signature !== null',
    why: 'Node throws for a key or signature that is null, which is caught and false as well.',
  },
  {
    file: 'mocks/sandbox/proofs/stamp.ts',
    name: 'verifies: return false; → return true;',
    why: 'Node returns false for a signature of any form, so with a key and a signature nothing is caught here.',
  },
  {
    file: 'mocks/sandbox/domains/agents/procedures/actions.ts',
    name: "findTransfer: kind: 'TRANSFER' → kind: 'MUTATED'",
    why: 'Payments are only told apart by whether their kind is QUOTE.',
  },
  {
    file: 'mocks/sandbox/proofs/claims.ts',
    name: 'describeClaims: [issuer, audience, subject] → [audience, issuer, subject]',
    why: 'The text is only compared with one that was made the same way.',
  },
  {
    file: 'mocks/sandbox/steps/prefer.ts',
    name: "readPrefer: value.startsWith('\"') → value.endsWith('\"')",
    why: 'The pattern before it lets through a token, which has no quote, or a whole quoted text.',
  },
  {
    file: 'mocks/sandbox/steps/replayIdempotent.ts',
    name: 'isKept: status < 400 → status <= 400',
    why: "A refusal of 400 is kept by the second half as well: it isn't a passing status, and no passing code comes with it.",
  },
  {
    file: 'mocks/sandbox/domains/agents/procedures/actions.ts',
    name: 'permissionFor: operations.find(({ id }) => id === operationOf[type]) → operations.findLast(({ id }) => id === operationOf[type])',
    why: 'Each operation has an id of its own.',
  },
  {
    file: 'mocks/sandbox/domains/tokens/procedures.ts',
    name: 'platformConfig: limit: 1 → limit: (1 + 1)',
    why: 'A platform has one configuration, and a snapshot with more is refused.',
  },
  {
    file: 'mocks/sandbox/domains/tokens/deleteToken.ts',
    name: 'handle: limit: 2 → limit: (2 + 1)',
    why: 'Two tokens are enough to know that one besides the deleted one remains.',
  },
  {
    file: 'mocks/sandbox/domains/tokens/records.ts',
    name: "byClientId: ['platform_id', 'body'] → ['body', 'platform_id']",
    why: 'A row is read by the names of its columns.',
  },
  {
    file: 'mocks/sandbox/domains/agents/records.ts',
    name: "byTokenHash: ['platform_id', 'body'] → ['body', 'platform_id']",
    why: 'A row is read by the names of its columns.',
  },
  {
    file: 'mocks/sandbox/signedRetry/signedRetry.ts',
    name: "onSignedRetry: headers['Request-Id'] !== undefined && headers['Service-Wallet-Signature'] !== undefined → headers['Request-Id'] !== undefined || headers['Service-Wallet-Signature'] !== undefined",
    why: 'A call with only one of the two headers is refused, whatever was made for it.',
  },
  {
    file: 'mocks/sandbox/domains/transfers/procedures/transactions.ts',
    name: 'receive: exchangeRate: 1 → exchangeRate: (1 + 1)',
    why: 'No reply shows the rate of an incoming transaction.',
  },
  {
    file: 'mocks/sandbox/domains/transfers/procedures/transfers.ts',
    name: 'planTransferIn: exchangeRate: 1 → exchangeRate: (1 + 1)',
    why: 'No reply shows the rate of an incoming transaction.',
  },
  {
    file: 'mocks/sandbox/domains/transfers/records.ts',
    name: "currenciesOnTheWay: ['PENDING', 'PROCESSING'] → ['PROCESSING', 'PENDING']",
    why: 'The currencies are collected in a set.',
  },
  {
    file: 'mocks/sandbox/tools/cursor.ts',
    name: 'tag: [scope.platformId, scope.operationId, hashJson(scope.filters)] → [scope.operationId, scope.platformId, hashJson(scope.filters)]',
    why: 'The text is only hashed, and the hash compared with one that was made the same way.',
  },
  {
    file: 'mocks/sandbox/steps/replayIdempotent.ts',
    name: 'scopeFor: [owner, operation.id, path, key.toLowerCase()] → [operation.id, owner, path, key.toLowerCase()]',
    why: 'The text is only hashed, and the hash compared with one that was made the same way.',
  },
  {
    file: 'contract/faults.ts',
    name: 'explain: [fault.pointer, fault.message] → [fault.message, fault.pointer]',
    why: 'The text only tells whether two faults are the same.',
  },
  {
    file: 'mocks/sandbox/domains/quotes/procedures/payments.ts',
    name: 'isStillPossible: [source, destination] → [destination, source]',
    why: 'Only whether one of the accounts is gone is asked.',
  },
  {
    file: 'mocks/sandbox/steps/validateRequest.ts',
    name: "validateRequest: contract.parameters(operation, 'path').find((one) => one.name === name) → contract.parameters(operation, 'path').findLast((one) => one.name === name)",
    why: 'Each parameter of a path has a name of its own.',
  },
  {
    file: 'mocks/sandbox/steps/validateRequest.ts',
    name: 'validateRequest: [...query.faults, ...headers.faults, ...findBodyFaults(contract, operation, body)] → [...headers.faults, ...query.faults, ...findBodyFaults(contract, operation, body)]',
    why: 'No operation has parameters in both query and headers.',
  },
  {
    file: 'mocks/sandbox/pipeline/pipeline.ts',
    name: 'runInUnit: note.clock = unit.clock; → ;',
    why: 'Without it, the journal reads the same clock from the store.',
  },
  {
    file: 'mocks/sandbox/proofs/oidc.ts',
    name: "algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'] → ['PS256', 'RS256', 'ES256', 'EdDSA']",
    why: 'The library only asks which algorithms are permitted.',
  },
  {
    file: 'mocks/sandbox/proofs/oidc.ts',
    name: 'fetchTimeoutMs: fetchTimeoutMs = 5000 → fetchTimeoutMs = (5000 + 1)',
    why: 'It ends a request to another server, on the machine clock. A test would wait for seconds to tell one millisecond.',
  },
];
