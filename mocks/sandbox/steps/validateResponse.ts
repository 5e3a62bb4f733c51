import type { Contract } from '../../../contract/contract.ts';
import { toFaults } from '../../../contract/faults.ts';
import { type Operation, transportCodes } from '../../../generated/operations.ts';
import { SandboxBug } from '../tools/problem.ts';

/** Our own reply doesn't fit our own contract. */
function breach(operation: Operation, status: number, faults: readonly { pointer: string; message: string }[]) {
  const facts = { operationId: operation.id, status, faults };
  return new SandboxBug(`${operation.id} was about to answer ${status} outside its contract`, facts);
}

/** Whether the code belongs to the transport, and so to no operation (D05, D44). */
export function isTransportCode(code: string): boolean {
  return Object.values(transportCodes).some((codes) => (codes as readonly string[]).includes(code));
}

/**
 * Checks every reply against the contract before it is sent, including errors: its status is declared, its code belongs
 * to that status, its body fits the schema.
 * @throws SandboxBug. Inside a unit of work it rolls the work back.
 */
export function validateResponse(contract: Contract, operation: Operation, status: number, body: unknown): void {
  const errors = contract.checkResponse(operation, status, body);
  if (errors === null) {
    throw breach(operation, status, [{ pointer: '', message: 'the status is not declared' }]);
  }
  if (errors.length > 0) throw breach(operation, status, toFaults('body', errors, 'response'));
}
