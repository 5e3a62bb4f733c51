import type { Operation } from '../../../generated/operations.ts';
import type { Contract } from '../shell/contract.ts';
import { toFaults } from '../shell/faults.ts';

/** Our own reply does not fit our own contract: a fault of ours, told to the log and not to the client. */
export class ContractBreach extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(operation: Operation, status: number, faults: readonly { pointer: string; message: string }[]) {
    super(`${operation.id} was about to answer ${status} outside its contract`);
    this.name = 'ContractBreach';
    this.facts = { operationId: operation.id, status, faults };
  }
}

/**
 * Every reply, errors included, fits the contract before it leaves: its status is declared, its code is among those of
 * that status, its body fits the schema.
 * @throws ContractBreach; inside a unit of work that rolls the work back.
 */
export function validateResponse(contract: Contract, operation: Operation, status: number, body: unknown): void {
  const errors = contract.checkResponse(operation, status, body);
  if (errors === null) {
    throw new ContractBreach(operation, status, [{ pointer: '', message: 'the status is not declared' }]);
  }
  if (errors.length > 0) throw new ContractBreach(operation, status, toFaults('body', errors));
}
